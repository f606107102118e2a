import { typeOfNoun } from '../language/name-words.ts'
import type { MentionedSentence } from './mentions.ts'

const partsOf = (name: string): string[] => name.split(/\s+/)

/** Heads that a firm or house is often named without: "Meridian" for "Meridian Ore Line". */
const isDroppable = (rest: readonly string[]): boolean => {
  const last = rest.at(-1)!.toLowerCase().replace(/s$/, '')
  const type = typeOfNoun(last)
  return type === 'organization' || type === 'facility' || /^(?:of|for|and)$/.test(rest[0]!)
}

const looksLikePerson = (parts: readonly string[]): boolean =>
  parts.length >= 2 &&
  parts.length <= 4 &&
  typeOfNoun(parts.at(-1)!) === null &&
  parts.every((part) => /^\p{Lu}|^(?:de|van|von|da|la|der)$/u.test(part))

/** True when `short` may stand for `full`: a surname, a name without its kind, or a state without its form. */
function isShortFor(short: readonly string[], full: readonly string[]): boolean {
  if (short.length === full.length) return `${full.join(' ')}s` === short.join(' ')
  if (short.length > full.length) return false
  const ending = full.slice(-short.length).join(' ') === short.join(' ')
  if (ending && (full.at(-short.length - 1) === 'of' || (short.length === 1 && looksLikePerson(full)))) return true
  const opening = full.slice(0, short.length).join(' ') === short.join(' ')
  return opening && isDroppable(full.slice(short.length))
}

/** "Joint Ice Bureau (JIB)": initials of the name in front of the brackets. */
function initialsOf(name: string): string {
  return partsOf(name)
    .filter((part) => /^\p{Lu}/u.test(part))
    .map((part) => part.charAt(0))
    .join('')
}

/**
 * Full names for the short ones that a text uses: surnames, firms without their kind, initials. A short name that
 * could stand for several full ones stays as it is.
 */
export function canonicalNames(sentences: readonly MentionedSentence[]): Map<string, string> {
  const names = new Set(sentences.flatMap(({ mentions }) => mentions.map((mention) => mention.name)))
  const fullOf = new Map<string, string>()
  for (const name of names) {
    const parts = partsOf(name)
    const fuller = [...names].filter((other) =>
      /^\p{Lu}{2,}$/u.test(name)
        ? initialsOf(other) === name && other.includes(' ')
        : isShortFor(parts, partsOf(other)),
    )
    // A chain of ever longer names is one name; two that differ are two.
    const longest = fuller.toSorted((a, b) => b.length - a.length)[0]
    if (longest === undefined) continue
    const agree = fuller.every((other) => other === longest || isShortFor(partsOf(other), partsOf(longest)))
    if (agree) fullOf.set(name, longest)
  }
  return fullOf
}
