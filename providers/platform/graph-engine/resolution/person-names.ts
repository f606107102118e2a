import type { DocumentName } from './name-mentions.ts'

const HONORIFICS = new Set(
  `mr mrs ms miss dr doctor prof professor sir dame lady lord captain capt commander cmdr colonel col major general admiral
   lieutenant lt sergeant sgt inspector superintendent commissioner judge justice president minister senator governor mayor
   father brother sister reverend rev bishop king queen prince princess count countess baron baroness`.split(/\s+/),
)
const SUFFIXES = new Set(['jr', 'sr', 'ii', 'iii', 'iv', 'phd', 'md', 'esq'])

/** The words of a person's normal name without titles and generation marks. */
export function personWords(normal: string): string[] {
  const words = normal.split(' ')
  while (words.length > 1 && HONORIFICS.has(words[0]!)) words.shift()
  while (words.length > 1 && SUFFIXES.has(words.at(-1)!)) words.pop()
  return words
}

/** A person's name reduced to what most texts write: no title, no generation mark, no middle initials. */
export function plainPerson(normal: string): string {
  const words = personWords(normal)
  return words.filter((word, at) => at === 0 || at === words.length - 1 || word.length > 1).join(' ')
}

/** True when models took the name for a person at least as often as for anything else. */
export function isPerson(name: DocumentName): boolean {
  const asPerson = name.types.get('person') ?? 0
  return asPerson > 0 && [...name.types.values()].every((count) => count <= asPerson)
}

/** True when a name of a type that was never given could still be a person's. */
export const mayBePerson = (name: DocumentName): boolean => isPerson(name) || name.types.size === 0

/** True when `short` can stand for the person `full` near a full mention: the end of the name ("Raines", "Ashby Crewe") or the first name. */
export function shortensPerson(short: readonly string[], full: readonly string[]): boolean {
  if (short.length === 0 || short.length >= full.length) return false
  const isEnd = short.every((word, index) => word === full[full.length - short.length + index])
  return isEnd || (short.length === 1 && short[0] === full[0])
}
