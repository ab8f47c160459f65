// What the HTML report is besides its data: one page, without anything from elsewhere.
#pragma once

#include <string_view>

namespace heddle::profiler {

// The data follows, and then html_end.
inline constexpr std::string_view html_begin = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>heddle profile</title><style>
body{font:14px/1.4 system-ui,sans-serif;margin:0;color:#222;background:#fafafa}
header{background:#253341;color:#fff;padding:10px 20px}header h1{font-size:18px;margin:0}header p{margin:2px 0;color:#c7d2dc}
main{padding:8px 20px 40px;max-width:1500px}h2{font-size:16px;margin:22px 0 6px}
table{border-collapse:collapse;background:#fff;box-shadow:0 0 0 1px #ddd}th,td{padding:3px 9px;text-align:right;white-space:nowrap}
th{background:#eef1f4;position:sticky;top:0;cursor:pointer}td.t,th.t{text-align:left}tr:nth-child(even) td{background:#fbfcfd}
tr.pick{cursor:pointer}tr.on td{background:#dcebff!important}.scroll{max-height:420px;overflow:auto;display:inline-block;max-width:100%}
pre.t,td.code{font:12px/1.35 ui-monospace,monospace;text-align:left;white-space:pre}
.card{background:#fff;box-shadow:0 0 0 1px #ddd;padding:8px 12px;margin:6px 0;border-left:4px solid #888}
.card.high{border-color:#c62828}.card.medium{border-color:#ef8f00}.card.low{border-color:#5a7}
.card b{font-weight:600}.small{color:#667;font-size:12px}.curves{display:flex;gap:18px;flex-wrap:wrap}
svg{background:#fff;box-shadow:0 0 0 1px #ddd}svg text{font:11px system-ui,sans-serif;fill:#445}
input{font:inherit;padding:2px 6px;margin-left:10px}</style></head><body>
<header><h1 id="title"></h1><p id="sub"></p></header><main id="main"></main><script>const D=)html";

inline constexpr std::string_view html_end = R"html(;
const main=document.getElementById("main"),K=D.kernels,el=(t,a={},...k)=>{const e=document.createElement(t);
for(const n in a)n==="on"?e.addEventListener("click",a.on):e.setAttribute(n,a[n]);e.append(...k);return e};
const svg=(t,a={},...k)=>{const e=document.createElementNS("http://www.w3.org/2000/svg",t);for(const n in a)e.setAttribute(n,a[n]);e.append(...k);return e};
const num=x=>x===null||x===undefined?"-":Number.isInteger(x)?x.toLocaleString("en"):x.toFixed(x<10?2:1);
const time=n=>n>=1e9?(n/1e9).toFixed(2)+" s":n>=1e6?(n/1e6).toFixed(2)+" ms":n>=1e3?(n/1e3).toFixed(2)+" us":n+" ns";
const hue=i=>`hsl(${(i*67+210)%360} 55% 52%)`;
document.getElementById("title").textContent=D.program;
document.getElementById("sub").textContent=`process ${D.process}, ${D.launches.length.toLocaleString("en")} launches of ${K.length} kernels on ${D.device}; times are of the host that ran it`;
// A table whose columns sort; rows are made as they are needed.
function table(columns,rows,{pick,most=200}={}){let sort=null,down=true,shown=most;const body=el("tbody"),t=el("table",{},el("thead",{},el("tr",{},
...columns.map((c,i)=>el("th",{class:c.text?"t":"",title:c.title||"",on(){down=sort===i?!down:true;sort=i;fill()}},c.name)))),body);
const more=el("p",{class:"small"});function fill(){const s=sort===null?rows:[...rows].sort((a,b)=>{const x=columns[sort].of(a),y=columns[sort].of(b);
return (x<y?-1:x>y?1:0)*(down?-1:1)});body.replaceChildren(...s.slice(0,shown).map(r=>{const tr=el("tr",{class:pick?"pick":""},...columns.map(c=>{
const v=c.of(r),td=el("td",{class:c.code?"code":c.text?"t":""},c.show?c.show(v,r):c.text?String(v):num(v));if(c.heat&&c.top>0&&v>0)td.style.background=`rgba(230,80,30,${(.08+.6*v/c.top).toFixed(3)})`;return td}));
if(pick)tr.addEventListener("click",()=>{body.querySelectorAll(".on").forEach(e=>e.classList.remove("on"));tr.classList.add("on");pick(r)});return tr}));
more.textContent="";if(rows.length>shown)more.append(`${shown} of ${rows.length.toLocaleString("en")} rows `,el("button",{on(){shown+=1000;fill()}},"more"))}
for(const c of columns)if(c.heat)c.top=Math.max(0,...rows.map(c.of));fill();return el("div",{},el("div",{class:"scroll"},t),more)}
main.append(el("h2",{},"Advice"),...(D.advice.length?D.advice.map(a=>el("div",{class:"card "+a.priority},el("b",{},a.title)," ",el("span",{class:"small"},`[${a.kernel}] ${a.priority}`),
el("div",{},`${num(a.value)} ${a.means}; it would save ${num(Math.round(a.saves))} ${a.unit}`+(a.file?`, most at ${a.file}:${a.line} (${num(Math.round(a.there))})`:"")),el("div",{class:"small"},a.guide))):["none"]));
const detail=el("div");
main.append(el("h2",{},"Kernels"),el("p",{class:"small"},"exact: requests, transactions, shared memory; estimated from PTX: instructions, branches, registers. A row shows its lines and curves below; a head sorts."),
table([{name:"kernel",text:1,of:k=>k.name},{name:"launches",of:k=>k.launches},{name:"host time",of:k=>k.time,show:time,heat:1},{name:"loads",of:k=>k.c[0]},{name:"trans/req",of:k=>k.c[1]},{name:"efficiency %",of:k=>k.c[2]},
{name:"stores",of:k=>k.c[3]},{name:"trans/req",of:k=>k.c[4]},{name:"efficiency %",of:k=>k.c[5]},{name:"atomics",of:k=>k.c[6]},{name:"shared",of:k=>k.c[7]},{name:"conflicts",of:k=>k.c[8],heat:1},{name:"local",of:k=>k.c[9]},
{name:"instructions",of:k=>k.c[10]},{name:"threads each",of:k=>k.c[11]},{name:"branches",of:k=>k.c[12]},{name:"divergent",of:k=>k.c[13],heat:1},{name:"registers",of:k=>k.registers},{name:"occupancy %",of:k=>k.occupancy}],K,{pick:show}),detail);
function curve(title,points,now,limit,max){const w=330,h=150,x=v=>34+(w-46)*v/limit,y=v=>h-24-(h-40)*v/max;let d="";for(const [a,b,o] of points)d+=`${d?"L":"M"}${x(a)} ${y(o)}L${x(b)} ${y(o)}`;
return svg("svg",{width:w,height:h,role:"img"},svg("text",{x:34,y:12},title),svg("path",{d,fill:"none",stroke:"#2468b2","stroke-width":2}),svg("line",{x1:x(now),x2:x(now),y1:16,y2:h-24,stroke:"#c62828","stroke-dasharray":"4 3"}),
svg("text",{x:4,y:y(max)+4},String(max)),svg("text",{x:14,y:h-20},"0"),svg("text",{x:34,y:h-6},"0"),svg("text",{x:w-60,y:h-6},num(limit)),svg("text",{x:Math.min(x(now)+3,w-60),y:h-30,fill:"#c62828"},num(now)))}
function show(k){detail.replaceChildren(el("h2",{},k.full));if(k.curves)detail.append(el("p",{class:"small"},`warps resident on a multiprocessor, ${k.curves.max} at most, by one need of the block; the red line is where it stands (limited by ${k.curves.by})`),
el("div",{class:"curves"},...k.curves.all.map(c=>curve(c.title,c.points,c.now,c.limit,k.curves.max))));
detail.append(el("h2",{},"Source"));if(!k.lines.length){detail.append("no lines: compile with nvcc -lineinfo");return}
const files=[...new Set(k.lines.map(l=>l.f))];for(const f of files){detail.append(el("p",{class:"small"},f||"(no line)"));
detail.append(table([{name:"line",of:l=>l.n},{name:"instructions",of:l=>l.c[10],heat:1},{name:"threads each",of:l=>l.c[11]},{name:"divergent",of:l=>l.c[13],heat:1},{name:"loads",of:l=>l.c[0],heat:1},{name:"trans/req",of:l=>l.c[1]},
{name:"efficiency %",of:l=>l.c[2]},{name:"stores",of:l=>l.c[3],heat:1},{name:"trans/req",of:l=>l.c[4]},{name:"efficiency %",of:l=>l.c[5]},{name:"shared",of:l=>l.c[7],heat:1},{name:"conflicts",of:l=>l.c[8],heat:1},{name:"local",of:l=>l.c[9],heat:1},{name:"source",code:1,text:1,of:l=>l.s}],k.lines.filter(l=>l.f===f),{most:2000}))}}
if(K.length)show(K[0]);
{const all=[...D.launches.map(l=>({b:l[3],e:l[4],row:0,t:`${K[l[1]].name} #${l[0]} ${l[2]}`,c:hue(l[1])})),...D.copies.map(c=>({b:c[2],e:c[3],row:1,t:`${c[0]} ${num(c[1])} bytes`,c:"#8a97a3"}))];
main.append(el("h2",{},"Timeline"));if(all.length){let lo=Math.min(...all.map(a=>a.b)),hi=Math.max(...all.map(a=>a.e)),full=[lo,hi];const w=1300,box=svg("svg",{width:w,height:92});
const draw=()=>{box.replaceChildren(svg("text",{x:4,y:24},"kernels"),svg("text",{x:4,y:58},"copies"));const s=(w-70)/Math.max(1,hi-lo);
for(const a of all){if(a.e<lo||a.b>hi)continue;const x=60+(Math.max(a.b,lo)-lo)*s,r=svg("rect",{x,y:10+34*a.row,width:Math.max(1,(Math.min(a.e,hi)-Math.max(a.b,lo))*s),height:22,fill:a.c},svg("title",{},`${a.t}: ${time(a.e-a.b)}`));box.append(r)}
box.append(svg("text",{x:60,y:84},time(lo-full[0])),svg("text",{x:w-90,y:84},time(hi-full[0])))};
box.addEventListener("wheel",e=>{e.preventDefault();const at=lo+(hi-lo)*Math.min(1,Math.max(0,(e.offsetX-60)/(w-70))),f=e.deltaY<0?.7:1/.7;lo=Math.max(full[0],at-(at-lo)*f);hi=Math.min(full[1],at+(hi-at)*f);draw()},{passive:false});
draw();main.append(el("p",{class:"small"},"the wheel zooms"),el("div",{class:"scroll"},box))}}
main.append(el("h2",{},"Launches"));{const place=el("div"),rows=D.launches,fill=q=>place.replaceChildren(table([{name:"#",of:l=>l[0]},{name:"kernel",text:1,of:l=>K[l[1]].name},{name:"grid and block",text:1,of:l=>l[2]},{name:"began",of:l=>l[3],show:time},
{name:"host time",of:l=>l[4]-l[3],show:time,heat:1},{name:"loads",of:l=>l[5][0]},{name:"trans/req",of:l=>l[5][1]},{name:"efficiency %",of:l=>l[5][2]},{name:"stores",of:l=>l[5][3]},{name:"efficiency %",of:l=>l[5][5]},{name:"conflicts",of:l=>l[5][8],heat:1},{name:"failure",text:1,of:l=>l[6]||""}],
rows.filter(l=>!q||K[l[1]].name.includes(q)),{most:100}));const q=el("input",{placeholder:"kernel"});q.addEventListener("input",()=>fill(q.value));main.append(q,place);fill("")}
</script></body></html>
)html";

}  // namespace heddle::profiler
