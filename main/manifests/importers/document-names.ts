// File names of documents that have a title only. They are legal on every system, also on those that ignore case.

const MAX_CHARACTERS = 80
const MAX_BYTES = 150
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/** The title as the name of a file, without its ending. */
export function safeName(title: string): string {
  let name = title
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(/[\\/:*?"<>|]|\p{Cc}/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .slice(0, MAX_CHARACTERS)
    .toWellFormed()
    .replaceAll('\uFFFD', '')
  while (Buffer.byteLength(name) > MAX_BYTES) name = name.slice(0, -1).toWellFormed().replace('\uFFFD', '')
  const trimmed = name.replaceAll(/^[. ]+|[. ]+$/g, '')
  if (trimmed === '') return 'document'
  return RESERVED.test(trimmed) ? `${trimmed}-` : trimmed
}

/** The name, with a number where it is taken; then it is taken. `taken` counts how often each name was asked for. */
export function freeName(name: string, ending: string, taken: Map<string, number>): string {
  const wanted = `${name}${ending}`.toLowerCase()
  let number = (taken.get(wanted) ?? 0) + 1
  let free = number === 1 ? `${name}${ending}` : `${name}-${number}${ending}`
  while (number > 1 && taken.has(free.toLowerCase())) {
    number += 1
    free = `${name}-${number}${ending}`
  }
  taken.set(wanted, number)
  if (number > 1) taken.set(free.toLowerCase(), 1)
  return free
}
