"""Small libraries whose names are jumps into libheddle.so.0.

Each exported name is one jump through a table, which the first call of anything fills with the addresses in
libheddle.so.0 (src/api/trampoline/load.c). A jump needs no signature. docs/reference/libraries.md tells the whole.
"""

SAVED = ["rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9"]


def resolver():
    """Saves every register that may hold an argument, loads, and jumps to where the call was meant to go."""
    push = "".join(f"        push    %{register}\n        .cfi_adjust_cfa_offset 8\n" for register in SAVED)
    pop = "".join(f"        pop     %{register}\n        .cfi_adjust_cfa_offset -8\n" for register in reversed(SAVED))
    save = "".join(f"        movups  %xmm{i}, {16 * i}(%rsp)\n" for i in range(8))
    restore = "".join(f"        movups  {16 * i}(%rsp), %xmm{i}\n" for i in range(8))
    return f"""\
/* The number of the entry is on the stack, above the return address of the caller. */
heddle_first_call:
        .cfi_startproc
        .cfi_def_cfa_offset 16
{push}        sub     $136, %rsp  /* a multiple of 16 again */
        .cfi_adjust_cfa_offset 136
{save}        call    heddle_load
{restore}        add     $136, %rsp
        .cfi_adjust_cfa_offset -136
{pop}        pop     %r11
        .cfi_adjust_cfa_offset -8
        lea     heddle_addresses(%rip), %r10
        jmp     *(%r10,%r11,8)
        .cfi_endproc
"""


def assembly(notice, name, kinds, failed):
    """`kinds`: of each symbol what a call returns when libheddle.so.0 cannot be loaded: status (`failed`), pointer or text."""
    text = f"/* {notice} */\n        .text\n\n"
    for index, symbol in enumerate(kinds):
        text += f"        .globl  {symbol}\n        .type   {symbol}, @function\n{symbol}:\n        jmp     *heddle_addresses+{8 * index}(%rip)\n"
        text += f"        .size   {symbol}, . - {symbol}\n"
    text += "\n/* Where they lead before the first call. */\n"
    for index in range(len(kinds)):
        text += f".L{index}: push    ${index}\n        jmp     heddle_first_call\n"
    text += "\n" + resolver()
    text += "\n/* What is called when there is nothing to call. */\n"
    text += f"heddle_failed_status:\n        mov     ${failed}, %eax\n        ret\n"
    text += "heddle_failed_pointer:\n        xor     %eax, %eax\n        ret\n"
    text += "heddle_failed_text:\n        lea     .Lfailure(%rip), %rax\n        ret\n"
    text += '\n        .section .rodata\n.Lfailure:\n        .string "libheddle.so.0 cannot be loaded"\n'
    text += "heddle_names:\n" + "".join(f'        .string "{symbol}"\n' for symbol in kinds) + "        .byte   0\n"
    text += f'heddle_library:\n        .string "{name}"\n'
    text += "        .balign 4\nheddle_count:\n" + f"        .long   {len(kinds)}\n"
    text += "\n        .data\n        .balign 8\nheddle_addresses:\n"
    text += "".join(f"        .quad   .L{index}\n" for index in range(len(kinds)))
    text += "\n        .section .data.rel.ro, \"aw\"\n        .balign 8\nheddle_failures:\n"
    text += "".join(f"        .quad   heddle_failed_{kind}\n" for kind in kinds.values())
    hidden = ("heddle_addresses", "heddle_failures", "heddle_names", "heddle_library", "heddle_count")
    text += "\n" + "".join(f"        .globl  {symbol}\n        .hidden {symbol}\n" for symbol in hidden)
    return text + '        .hidden heddle_load\n        .section .note.GNU-stack, "", @progbits\n'


def version_script(notice, node, symbols):
    listed = "".join(f"    {symbol};\n" for symbol in symbols)
    return f"/* {notice} */\n{node}{{\n  global:\n{listed}  local: *;\n}};\n"
