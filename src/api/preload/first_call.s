/* The number of the slot is on the stack, above the return address of the caller. Every register that may hold an argument is kept. */
        .text
        .globl  heddle_first_call
        .hidden heddle_first_call
        .hidden heddle_resolve
        .type   heddle_first_call, @function
heddle_first_call:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        push    %rax
        .cfi_adjust_cfa_offset 8
        push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        push    %rdx
        .cfi_adjust_cfa_offset 8
        push    %rcx
        .cfi_adjust_cfa_offset 8
        push    %r8
        .cfi_adjust_cfa_offset 8
        push    %r9
        .cfi_adjust_cfa_offset 8
        sub     $136, %rsp
        .cfi_adjust_cfa_offset 136
        movups  %xmm0, (%rsp)
        movups  %xmm1, 16(%rsp)
        movups  %xmm2, 32(%rsp)
        movups  %xmm3, 48(%rsp)
        movups  %xmm4, 64(%rsp)
        movups  %xmm5, 80(%rsp)
        movups  %xmm6, 96(%rsp)
        movups  %xmm7, 112(%rsp)
        mov     192(%rsp), %rdi
        call    heddle_resolve
        mov     %rax, %r11
        movups  (%rsp), %xmm0
        movups  16(%rsp), %xmm1
        movups  32(%rsp), %xmm2
        movups  48(%rsp), %xmm3
        movups  64(%rsp), %xmm4
        movups  80(%rsp), %xmm5
        movups  96(%rsp), %xmm6
        movups  112(%rsp), %xmm7
        add     $136, %rsp
        .cfi_adjust_cfa_offset -136
        pop     %r9
        .cfi_adjust_cfa_offset -8
        pop     %r8
        .cfi_adjust_cfa_offset -8
        pop     %rcx
        .cfi_adjust_cfa_offset -8
        pop     %rdx
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        pop     %rax
        .cfi_adjust_cfa_offset -8
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp     *%r11
        .cfi_endproc
        .size   heddle_first_call, . - heddle_first_call

        .section .rodata
        .globl  heddle_names_11, heddle_names_11_end
        .hidden heddle_names_11, heddle_names_11_end
        .globl  heddle_names_12, heddle_names_12_end, heddle_names_13, heddle_names_13_end
        .hidden heddle_names_12, heddle_names_12_end, heddle_names_13, heddle_names_13_end
heddle_names_11:
        .incbin "libcudart.so.11.0.names"
heddle_names_11_end:
heddle_names_12:
        .incbin "libcudart.so.12.names"
heddle_names_12_end:
heddle_names_13:
        .incbin "libcudart.so.13.names"
heddle_names_13_end:
        .section .note.GNU-stack, "", @progbits
