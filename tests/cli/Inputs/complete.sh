# usage: complete.sh TOOLKIT: what bash offers for some beginnings of lines; | stands for the cursor.
cd "$1" || exit 1
for file in share/bash-completion/completions/*; do . "./$file" || exit 1; done

offers() {
  local line=$1
  # As readline divides words: = is one of its own.
  read -ra COMP_WORDS <<< "${line//=/ = }"
  [[ $line = *' ' ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  "_${COMP_WORDS[0]}"
  echo "$line|:" "${COMPREPLY[@]}"
}

offers 'heddle pro'
offers 'heddle ptx '
offers 'heddle run --device gtx48'
offers 'heddle run --device=gtx48'
offers 'heddle check --tool racecheck --print-level w'
offers 'heddle check --print-l'
offers 'heddle check --tool racecheck ./program --print-l'
offers 'heddle ptx run --gr'
offers 'heddle nothing --'
offers 'nvcc --gpu-arch'
offers 'nvcc -arch sm_1'
offers 'nvcc -std c++1'
offers 'nvcc --std=c++1'
offers 'ptxas --gpu-name sm_12'
offers 'fatbinary --cr'
offers 'cuobjdump -lp'
