import { typeOfNoun } from '../language/name-words.ts'
import type { MentionedSentence } from './mentions.ts'

const partsOf = (name: string): string[] => name.split(/\s+/)

const looksLikePerson = (parts: readonly string[]): boolean =>
  parts.length <= 4 &&
  typeOfNoun(parts.at(-1)!) === null &&
  parts.every((part) => /^\p{Lu}|^(?:de|van|von|da|der)$/u.test(part))

/** True when `short` may stand for `full`: a surname, or a firm or house without its kind ("Hudson" for "Hudson Paper Mills"). */
function isShortFor(short: readonly string[], full: readonly string[]): boolean {
  if (short.length >= full.length) return false
  if (short.length === 1 && full.at(-1) === short[0]) return looksLikePerson(full)
  const opens = short.every((part, at) => part === full[at])
  return opens && ['organization', 'facility'].includes(typeOfNoun(full.at(-1)!) ?? '')
}

/** "World Chess Union (WCU)": initials of the name in front of the brackets. */
const initialsOf = (parts: readonly string[]): string =>
  parts.flatMap((part) => (/^\p{Lu}/u.test(part) ? [part.charAt(0)] : [])).join('')

/**
 * Full names for the short ones that a text uses: surnames, firms without their kind, initials. A short name that
 * could stand for several full ones stays as it is.
 */
export function canonicalNames(sentences: readonly MentionedSentence[]): Map<string, string> {
  const names = new Set(sentences.flatMap(({ mentions }) => mentions.map((mention) => mention.name)))
  const all = [...names].map((name) => ({ name, parts: partsOf(name) }))
  const fullOf = new Map<string, string>()
  for (const { name, parts } of all) {
    const isAcronym = /^\p{Lu}{2,}$/u.test(name)
    const fuller = all.filter((other) =>
      isAcronym ? other.parts.length > 1 && initialsOf(other.parts) === name : isShortFor(parts, other.parts),
    )
    if (fuller.length === 1) fullOf.set(name, fuller[0]!.name)
  }
  return fullOf
}
