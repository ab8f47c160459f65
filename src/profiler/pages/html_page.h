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
td.code{max-width:600px;overflow:hidden;text-overflow:ellipsis}
.card{background:#fff;box-shadow:0 0 0 1px #ddd;padding:8px 12px;margin:6px 0;border-left:4px solid #888}
.card.high{border-color:#c62828}.card.medium{border-color:#ef8f00}.card.low{border-color:#5a7}
.card b{font-weight:600}.small{color:#667;font-size:12px}.curves{display:flex;gap:18px;flex-wrap:wrap}
svg{background:#fff;box-shadow:0 0 0 1px #ddd}svg text{font:11px system-ui,sans-serif;fill:#445}
input{font:inherit;padding:2px 6px;margin:0 10px 4px 0}h2 .small{font-weight:400}
details{margin:6px 0}summary{cursor:pointer}nav{position:sticky;top:0;background:#eef1f4;padding:5px 20px;z-index:2;box-shadow:0 1px 0 #ccd}nav a{margin-right:16px;color:#2458a0}
.row{display:flex;gap:24px;flex-wrap:wrap;align-items:flex-start}</style></head><body>
<header><h1 id="title"></h1><p id="sub"></p></header><nav id="nav"></nav><main id="main"></main><script>const D=)html";

inline constexpr std::string_view html_end = R"html(;
const main=document.getElementById("main"),K=D.kernels,el=(t,a={},...k)=>{const e=document.createElement(t);
for(const n in a)n==="on"?e.addEventListener("click",a.on):e.setAttribute(n,a[n]);e.append(...k);return e};
const svg=(t,a={},...k)=>{const e=document.createElementNS("http://www.w3.org/2000/svg",t);for(const n in a)e.setAttribute(n,a[n]);e.append(...k);return e};
const num=x=>x===null||x===undefined?"-":Number.isInteger(x)?x.toLocaleString("en"):x.toFixed(x<10?2:1);
const time=n=>n>=1e9?(n/1e9).toFixed(2)+" s":n>=1e6?(n/1e6).toFixed(2)+" ms":n>=1e3?(n/1e3).toFixed(2)+" us":n+" ns";
// "stage<20>" of "void stage<20>(float*, int)".
const short=f=>{let d=0,e=f.length;for(let i=0;i<f.length;++i){if(f[i]==="<")++d;if(f[i]===">")--d;if(f[i]==="("&&!d&&!f.startsWith("(anonymous",i)){e=i;break}}return f.slice(0,e).replace(/^void /,"")};
const hue=i=>`hsl(${(i*67+210)%360} 55% 52%)`;
for(const k of K)k.name=short(k.full);
document.getElementById("title").textContent=D.program;
document.getElementById("sub").textContent=`process ${D.process}, ${D.launched.toLocaleString("en")} launches of ${K.length} kernels on ${D.device}; times are of the host that ran it`;
const head=(name,note="")=>{const id=name.toLowerCase().replace(/ .*/,"");document.getElementById("nav").append(el("a",{href:"#"+id},name));return el("h2",{id},name," ",el("span",{class:"small"},note))};
const find=(rows,of,make)=>{const place=el("div"),q=el("input",{placeholder:"search",type:"search"}),fill=()=>place.replaceChildren(make(q.value?rows.filter(r=>of(r).toLowerCase().includes(q.value.toLowerCase())):rows));q.addEventListener("input",fill);fill();return el("div",{},q,place)};
// A table whose columns sort; rows are made as they are needed.
function table(columns,rows,{pick,most=200}={}){let sort=null,down=true,shown=most;const body=el("tbody"),t=el("table",{},el("thead",{},el("tr",{},
...columns.map((c,i)=>el("th",{class:c.text?"t":"",title:c.title||"",on(){down=sort===i?!down:true;sort=i;fill()}},c.name)))),body);
const more=el("p",{class:"small"});function fill(){const s=sort===null?rows:[...rows].sort((a,b)=>{const x=columns[sort].of(a),y=columns[sort].of(b);
return (x<y?-1:x>y?1:0)*(down?-1:1)});body.replaceChildren(...s.slice(0,shown).map(r=>{const tr=el("tr",{class:pick?"pick":""},...columns.map(c=>{
const v=c.of(r),td=el("td",{class:c.code?"code":c.text?"t":""},c.show?c.show(v,r):c.text?String(v):num(v));if(c.code)td.title=v;if(c.heat&&c.top>0&&v>0)td.style.background=`rgba(230,80,30,${(.08+.6*v/c.top).toFixed(3)})`;return td}));
if(pick)tr.addEventListener("click",()=>{body.querySelectorAll(".on").forEach(e=>e.classList.remove("on"));tr.classList.add("on");pick(r)});return tr}));
more.textContent="";if(rows.length>shown)more.append(`${shown} of ${rows.length.toLocaleString("en")} rows `,el("button",{on(){shown+=1000;fill()}},"more"))}
for(const c of columns)if(c.heat)c.top=Math.max(0,...rows.map(c.of));fill();return el("div",{},el("div",{class:"scroll"},t),more)}
for(const a of D.advice)if(a.k>=0)a.kernel=K[a.k].name;
const card=a=>el("div",{class:"card "+a.priority},el("b",{},a.title)," ",el("span",{class:"small"},`[${a.kernel}] ${a.priority}`),
el("div",{},`${num(a.value)} ${a.means}; it would save ${num(Math.round(a.saves))} ${a.unit}`+(a.file?`, most at ${a.file}:${a.line} (${num(Math.round(a.there))})`:"")),el("div",{class:"small"},a.guide));
// One advice for many kernels is one card; its others fold.
{const groups=new Map();for(const a of D.advice){const g=groups.get(a.title)||[];g.push(a);groups.set(a.title,g)}
main.append(head("Advice",`${D.advice.length} of ${groups.size} kinds`),...(groups.size?[...groups.values()].map(g=>{g.sort((a,b)=>b.saves-a.saves);const c=card(g[0]);
if(g.length>1)c.append(el("details",{},el("summary",{class:"small"},`and ${g.length-1} more`),el("div",{class:"scroll"},...g.slice(1,200).map(a=>el("div",{class:"small"},`[${a.kernel}] ${num(a.value)} ${a.means}; ${num(Math.round(a.saves))} ${a.unit}${a.file?`, most at ${a.file}:${a.line}`:""}`)))));return c}):["none"]))}
const detail=el("div");
main.append(head("Kernels"),el("p",{class:"small"},"exact: requests, transactions, shared memory; estimated from PTX: instructions, branches, registers. A row shows its memory, curves and lines below; a head sorts."),
find(K,k=>k.full,rows=>table([{name:"kernel",text:1,of:k=>k.name},{name:"launches",of:k=>k.launches},{name:"host time",of:k=>k.time,show:time,heat:1},{name:"loads",of:k=>k.c[0]},{name:"trans/req",of:k=>k.c[1]},{name:"efficiency %",of:k=>k.c[2]},
{name:"stores",of:k=>k.c[3]},{name:"trans/req",of:k=>k.c[4]},{name:"efficiency %",of:k=>k.c[5]},{name:"atomics",of:k=>k.c[6]},{name:"shared",of:k=>k.c[7]},{name:"conflicts",of:k=>k.c[8],heat:1},{name:"local",of:k=>k.c[9]},
{name:"instructions",of:k=>k.c[10]},{name:"threads each",of:k=>k.c[11]},{name:"branches",of:k=>k.c[12]},{name:"divergent",of:k=>k.c[13],heat:1},{name:"registers",of:k=>k.registers},{name:"occupancy %",of:k=>k.occupancy}],rows,{pick:show})),detail);
// Requests on the left of a space, bytes that they moved on its right; the wider the more.
function chart(m){const w=760,rows=[["global loads",m[0],m[1],m[2]],["global stores",m[3],m[4],m[5]],["asynchronous copies",m[8],m[9],m[10]],["local loads",m[11],null,m[12]],["local stores",m[13],null,m[14]]],
sub=[["shared loads",m[15],m[16]],["shared stores",m[17],m[18]],["shared atomics",m[19],m[20]],["constant loads",m[21],m[22]]],only=[["global atomics",m[6]+m[7]],["texture fetches",m[23]],["surface accesses",m[24]]],
all=[...rows.map(r=>({n:r[0],q:r[1],a:r[2],b:r[3]})),...sub.map(r=>({n:r[0],q:r[1],p:r[2]})),...only.map(r=>({n:r[0],q:r[1]}))].filter(r=>r.q);if(!all.length)return el("p",{},"no memory was accessed");
const h=26+30*all.length,g=svg("svg",{width:w,height:h,role:"img"}),top=Math.max(...all.map(r=>r.q)),bytes=Math.max(1,...all.map(r=>r.b||0)),t=(x,y,s,a="start")=>g.append(svg("text",{x,y,"text-anchor":a},s)),
size=b=>b>=1e9?(b/1e9).toFixed(2)+" GB":b>=1e6?(b/1e6).toFixed(2)+" MB":b>=1e3?(b/1e3).toFixed(1)+" KB":b+" B",thick=(v,m)=>Math.max(1,14*v/m);
t(70,16,"threads","middle");t(300,16,"space","middle");t(620,16,"device memory, or the banks","middle");
all.forEach((r,i)=>{const y=38+30*i;g.append(svg("line",{x1:110,x2:230,y1:y,y2:y,stroke:"#2468b2","stroke-width":thick(r.q,top)}),svg("rect",{x:230,y:y-12,width:140,height:24,fill:"#eef1f4",stroke:"#9ab"}));t(300,y+4,r.n,"middle");
t(104,y+4,num(r.q)+" req","end");if(r.b!==undefined){g.append(svg("line",{x1:370,x2:500,y1:y,y2:y,stroke:"#c66a28","stroke-width":thick(r.b,bytes)}));t(506,y+4,size(r.b)+(r.a?`, asked for ${size(r.a)} (${(100*r.a/r.b).toFixed(0)} %)`:""))}
else if(r.p!==undefined){g.append(svg("line",{x1:370,x2:500,y1:y,y2:y,stroke:"#5a7","stroke-width":thick(r.p,Math.max(top,r.p))}));t(506,y+4,`${num(r.p)} times asked, ${(r.p/r.q).toFixed(2)} each`)}});return g}
function curve(title,points,now,limit,max){const w=330,h=158,x=v=>34+(w-46)*v/limit,y=v=>h-24-(h-50)*v/max;let d="";for(const [a,b,o] of points)d+=`${d?"L":"M"}${x(a)} ${y(o)}L${x(b)} ${y(o)}`;
return svg("svg",{width:w,height:h,role:"img"},svg("text",{x:34,y:12},title),svg("path",{d,fill:"none",stroke:"#2468b2","stroke-width":2}),svg("line",{x1:x(now),x2:x(now),y1:26,y2:h-24,stroke:"#c62828","stroke-dasharray":"4 3"}),
svg("text",{x:4,y:y(max)+4},String(max)),svg("text",{x:14,y:h-20},"0"),svg("text",{x:34,y:h-6},"0"),svg("text",{x:w-60,y:h-6},num(limit)),svg("text",{x:Math.min(x(now)+3,w-60),y:h-30,fill:"#c62828"},num(now)))}
function show(k){detail.replaceChildren(el("h2",{},k.full),el("p",{class:"small"},"memory: requests of warps, and what they moved"),chart(k.m));if(k.curves)detail.append(el("p",{class:"small"},`warps resident on a multiprocessor, ${k.curves.max} at most, by one need of the block; the red line is where it stands (limited by ${k.curves.by})`),
el("div",{class:"curves"},...k.curves.all.map(c=>curve(c.title,c.points,c.now,c.limit,k.curves.max))));
detail.append(el("h2",{},"Source"));if(!k.lines.length){detail.append("no lines: compile with nvcc -lineinfo");return}
const files=[...new Set(k.lines.map(l=>l.f))];for(const f of files){detail.append(el("p",{class:"small"},f||"(no line)"));
detail.append(table([{name:"line",of:l=>l.n},{name:"source",code:1,text:1,of:l=>l.s},{name:"instructions",of:l=>l.c[10],heat:1},{name:"threads each",of:l=>l.c[11]},{name:"divergent",of:l=>l.c[13],heat:1},{name:"loads",of:l=>l.c[0],heat:1},{name:"trans/req",of:l=>l.c[1]},
{name:"efficiency %",of:l=>l.c[2]},{name:"stores",of:l=>l.c[3],heat:1},{name:"trans/req",of:l=>l.c[4]},{name:"efficiency %",of:l=>l.c[5]},{name:"shared",of:l=>l.c[7],heat:1},{name:"conflicts",of:l=>l.c[8],heat:1},{name:"local",of:l=>l.c[9],heat:1}],k.lines.filter(l=>l.f===f),{most:2000}))}}
if(K.length)show(K[0]);
{const streams=[...new Set([...D.launches.map(l=>l[7]),...D.copies.map(c=>c[4])])].sort((a,b)=>a-b),shown=[...streams.slice(0,16),...[...new Set(D.ranges.map(r=>r[3]))].sort().map(d=>"ranges "+(d+1))],
all=[...D.launches.map(l=>({b:l[3],e:l[4],s:l[7],t:`${K[l[1]].name} #${l[0]} ${l[2]}`,c:hue(l[1])})),...D.copies.map(c=>({b:c[2],e:c[3],s:c[4],t:`${c[0]} ${num(c[1])} bytes`,c:"#8a97a3"})),...D.ranges.map(r=>({b:r[1],e:r[2],s:"ranges "+(r[3]+1),t:r[0],c:"#7a9e4b"}))].filter(a=>shown.includes(a.s)).sort((a,b)=>a.b-b.b);
main.append(head("Timeline",`a row a stream${streams.length>16?`, 16 of ${streams.length}`:""}; copies are grey; the wheel zooms, dragging moves`));if(all.length){let lo=Math.min(...all.map(a=>a.b)),hi=Math.max(...all.map(a=>a.e)),full=[lo,hi];const w=1300,h=30+26*shown.length,box=svg("svg",{width:w,height:h});
const draw=()=>{box.replaceChildren(...shown.map((s,i)=>svg("text",{x:4,y:22+26*i},typeof s==="string"?s:"stream "+s)));const s=(w-80)/Math.max(1,hi-lo),last=new Map();
for(const a of all){if(a.e<lo||a.b>hi)continue;const x=70+(Math.max(a.b,lo)-lo)*s,e=70+(Math.min(a.e,hi)-lo)*s,at=last.get(a.s);if(at!==undefined&&e<at+.5)continue;last.set(a.s,Math.max(x+1,e));
box.append(svg("rect",{x,y:8+26*shown.indexOf(a.s),width:Math.max(1,e-x),height:20,fill:a.c},svg("title",{},`${a.t}: ${time(a.e-a.b)}`)))}
box.append(svg("text",{x:70,y:h-6},time(lo-full[0])),svg("text",{x:w-90,y:h-6},time(hi-full[0])))};
box.addEventListener("wheel",e=>{e.preventDefault();const at=lo+(hi-lo)*Math.min(1,Math.max(0,(e.offsetX-70)/(w-80))),f=e.deltaY<0?.7:1/.7;lo=Math.max(full[0],at-(at-lo)*f);hi=Math.min(full[1],at+(hi-at)*f);draw()},{passive:false});
box.addEventListener("pointermove",e=>{if(!(e.buttons&1))return;const d=-e.movementX*(hi-lo)/(w-80),m=Math.max(full[0]-lo,Math.min(full[1]-hi,d));lo+=m;hi+=m;draw()});
draw();main.append(el("div",{class:"scroll"},box))}}
// Launches of one kernel and shape fold into a row, which a click unfolds.
{const note=D.launched>D.launches.length?`the first ${D.launches.length.toLocaleString("en")} of ${D.launched.toLocaleString("en")}`:`${D.launched.toLocaleString("en")}`,unfolded=el("div"),groups=new Map();
for(const l of D.launches){const key=l[1]+" "+l[2],g=groups.get(key)||{k:l[1],s:l[2],all:[]};g.all.push(l);groups.set(key,g)}
for(const g of groups.values()){const t=g.all.map(l=>l[4]-l[3]);g.sum=t.reduce((a,b)=>a+b,0);g.min=Math.min(...t);g.max=Math.max(...t);g.failed=g.all.filter(l=>l[6]).length}
const columns=[{name:"#",of:l=>l[0]},{name:"stream",of:l=>l[7]},{name:"began",of:l=>l[3],show:time},{name:"host time",of:l=>l[4]-l[3],show:time,heat:1},{name:"loads",of:l=>l[5][0]},{name:"trans/req",of:l=>l[5][1]},{name:"efficiency %",of:l=>l[5][2]},{name:"stores",of:l=>l[5][3]},{name:"efficiency %",of:l=>l[5][5]},
{name:"conflicts",of:l=>l[5][8],heat:1},{name:"divergent",of:l=>l[5][13],heat:1},{name:"failure",text:1,of:l=>l[6]||""}],unfold=g=>unfolded.replaceChildren(el("p",{},`${K[g.k].name}, ${g.s}`),table(columns,g.all,{most:100}));
const list=[...groups.values()].sort((a,b)=>b.sum-a.sum);
main.append(head("Launches",`${note} in ${list.length} groups of one kernel and shape; a row unfolds below`),find(list,g=>K[g.k].name+" "+g.s,rows=>table([{name:"kernel",text:1,of:g=>K[g.k].name},{name:"grid and block",text:1,of:g=>g.s},{name:"launches",of:g=>g.all.length},{name:"host time",of:g=>g.sum,show:time,heat:1},
{name:"least",of:g=>g.min,show:time},{name:"average",of:g=>g.sum/g.all.length,show:v=>time(Math.round(v))},{name:"most",of:g=>g.max,show:time},{name:"failed",of:g=>g.failed}],rows,{pick:unfold,most:50})),unfolded);if(list.length)unfold(list[0])}
</script></body></html>
)html";

}  // namespace heddle::profiler
