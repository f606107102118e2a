import { conceptsOf } from '../../../models/builtin/language/concepts.ts'
import { rarity } from '../../../models/builtin/language/rarity.ts'
import { rootOf } from '../../../models/builtin/language/roots.ts'
import { tokensOf } from '../../../models/builtin/language/tokens.ts'
import type { Token } from '../../../models/builtin/language/tokens.ts'
import { ALIKE_LETTERS } from '../../../models/builtin/matching/terms.ts'
import type { SlicedWork } from '../../../../../core/sliced-work.ts'
import { createNumbers, release } from '../../columns/numbers.ts'
import { createTextTable } from '../../columns/text-table.ts'
import type { TextTable } from '../../columns/text-table.ts'

/**
 * The words of a graph's texts in numbers. A question compares its terms with thousands of parts: reading and splitting their texts would take most
 * of its time, and the more of them are new to it, the larger the graph is.
 */
export interface PartWords {
  /** Number of a normal form, root or beginning of a word; undefined for one that no text has. */
  find(spelling: string): number | undefined
  /** States how many different words there are. */
  count: number
  /** By word: its normal form, its root and, of content words with more letters, its first ones (none: -1). */
  norms: Int32Array
  roots: Int32Array
  beginnings: Int32Array
  /** By word: its root where that is a content word with synonyms, else -1. */
  synonymous: Int32Array
  /** By word: 0 for words of grammar. */
  informative: Uint8Array
  /** Rings of synonyms by root. */
  rings: ReadonlyMap<number, readonly number[]>
  /** The different words of a text of the graph's table. */
  ofText(text: number): WordNumbers
  /** The words of the beginning of a text that is the last one of an entity's, where the whole is too long; by entity. */
  ofCut(entity: number): WordNumbers | undefined
}

/** In 16 bits where the graph has few enough words. */
export type WordNumbers = Int32Array | Uint16Array

const NUMBERS_IN_16_BITS = 2 ** 16

const NONE = -1

/** Splits the wanted texts of the table into words, and the cut ones of entities, in slices. */
export function* splittingTexts(
  texts: TextTable,
  wanted: Uint8Array,
  cut: ReadonlyMap<number, string>,
): SlicedWork<PartWords> {
  const words = createWords()
  const from = new Int32Array(wanted.length + 1)
  const found = createNumbers()
  for (let text = 0; text < wanted.length; text += 1) {
    from[text] = found.length
    if (wanted[text] === 0) continue
    for (const word of words.addAll(texts.text(text))) found.push(word)
    yield
  }
  from[wanted.length] = found.length
  const ofCut = new Map<number, Int32Array>()
  for (const [entity, text] of cut) ofCut.set(entity, Int32Array.from(words.addAll(text)))
  const done = words.done()
  const numbers = found.done()
  if (done.count > NUMBERS_IN_16_BITS) return { ...done, ...wordLists(from, numbers, ofCut) }
  const short = Uint16Array.from(numbers)
  release(numbers)
  return { ...done, ...wordLists(from, short, ofCut) }
}

// On its own, as `finderIn` is: functions keep all that is around them in memory, here what only the splitting needs.
const wordLists = (
  from: Int32Array,
  words: WordNumbers,
  ofCut: ReadonlyMap<number, Int32Array>,
): Pick<PartWords, 'ofText' | 'ofCut'> => ({
  ofText: (text) => words.subarray(from[text], from[text + 1]),
  ofCut: (entity) => ofCut.get(entity),
})

const finderIn =
  (texts: TextTable): PartWords['find'] =>
  (spelling) =>
    texts.find(spelling)

function createWords() {
  const keys = createTextTable()
  const spellings = createTextTable()
  const rings = new Map<number, readonly number[]>()
  const [norms, roots, beginnings, synonymous, informative] = Array.from({ length: 5 }, () => createNumbers())
  const keyOf = ({ kind, norm }: Token): string => `${kind} ${norm}`
  const add = (token: Token): number => {
    const word = keys.add(keyOf(token))
    if (word < norms!.length) return word
    const { norm, kind } = token
    const isContent = rarity(token) > 0
    const root = spellings.add(rootOf(token))
    const ofRoot = kind === 'word' && isContent ? conceptsOf(rootOf(token)) : []
    norms!.push(spellings.add(norm))
    roots!.push(root)
    const isLong = kind === 'word' && isContent && norm.length > ALIKE_LETTERS
    beginnings!.push(isLong ? spellings.add(norm.slice(0, ALIKE_LETTERS)) : NONE)
    synonymous!.push(ofRoot.length > 0 ? root : NONE)
    informative!.push(isContent ? 1 : 0)
    if (ofRoot.length > 0) rings.set(root, ofRoot)
    return word
  }
  return {
    /** The different words of a text. */
    addAll: (text: string): Set<number> => new Set(tokensOf(text).map(add)),
    done() {
      return {
        find: finderIn(spellings),
        count: keys.size,
        norms: norms!.done(),
        roots: roots!.done(),
        beginnings: beginnings!.done(),
        synonymous: synonymous!.done(),
        informative: Uint8Array.from(informative!.done()),
        rings,
      }
    },
  }
}
