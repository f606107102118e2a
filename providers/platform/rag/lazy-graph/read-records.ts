import { hash } from 'node:crypto'
import { createNumbers } from '../../stores/columns/numbers.ts'
import { createTextTable } from '../../stores/columns/text-table.ts'
import { createPauses } from '../../stores/graph-engine/sliced-work.ts'
import type { StoredChunk } from '../../stores/vector-store/vector-store.ts'
import { endOfConcept, WORD_NUMBERS, type ChunkRecords, type NumberedTexts } from './chunk-records.ts'
import { KIND_WEIGHT, titleText, TITLE_SENTENCE } from './concept-index.ts'
import { countCapitals, KINDS, mentionsOf, type Capitals, type ConceptKind, type Mention } from './concepts.ts'
import type { Chunks } from './kept-chunks.ts'
import { createPackedLists } from './packed-lists.ts'
import { readSentences, type Sentence } from './sentences.ts'

interface Found {
  kind: ConceptKind
  sentences: number[]
  mentions: number
}

function collect(mentions: readonly Mention[]): Map<string, Found> {
  const found = new Map<string, Found>()
  for (const { key, kind, sentence } of mentions) {
    const known = found.get(key)
    if (known === undefined) found.set(key, { kind, sentences: [sentence], mentions: 1 })
    else {
      known.mentions += 1
      if (known.sentences.at(-1) !== sentence) known.sentences.push(sentence)
      if (KIND_WEIGHT[kind] > KIND_WEIGHT[known.kind]) known.kind = kind
    }
  }
  return found
}

/** Adds a document's title to each of its chunks: a passage deep in a dossier seldom repeats whom the dossier is about. */
function withTitle(found: Map<string, Found>, title: readonly Mention[]): Map<string, Found> {
  for (const { key, kind } of title) {
    const known = found.get(key)
    if (known === undefined) found.set(key, { kind, sentences: [TITLE_SENTENCE], mentions: 0 })
    else if (known.sentences[0] !== TITLE_SENTENCE) known.sentences.unshift(TITLE_SENTENCE)
  }
  return found
}

const digestOf = (chunk: StoredChunk): string => hash('sha256', JSON.stringify([titleText(chunk), chunk.content]))

/** Numbers of texts in new records by their numbers in earlier ones: a text that no chunk has any longer gets none. */
function renumbering(earlier: NumberedTexts | undefined, add: (text: string) => number) {
  /** Plus one; 0 for a text that was not met yet. */
  const numbers = new Int32Array(earlier?.size ?? 0)
  return (number: number): number => {
    if (numbers[number] === 0) numbers[number] = add(earlier!.text(number)) + 1
    return numbers[number]! - 1
  }
}

/** Counts the words of the corpus by their numbers. */
function createWordCounts() {
  const texts = createTextTable()
  const [upper, lower] = [createNumbers(), createNumbers()]
  const counted = (numbers: typeof upper) => ({
    get: (word: string): number | undefined => {
      const number = texts.find(word)
      return number === undefined ? undefined : numbers.at(number)
    },
  })
  return {
    texts,
    numberOf(word: string): number {
      const number = texts.add(word)
      if (number === upper.length) {
        upper.push(0)
        lower.push(0)
      }
      return number
    },
    count(number: number, capitals: number, plain: number): void {
      upper.set(number, upper.at(number) + capitals)
      lower.set(number, lower.at(number) + plain)
    },
    isName: (number: number): boolean => upper.at(number) > lower.at(number),
    capitals: { upper: counted(upper), lower: counted(lower) },
  }
}

/** Each word that is not a stop word, with how often it has a capital that counts and how often none. */
function wordsIn(sentences: readonly Sentence[], more: readonly Sentence[], isTitle = false) {
  const counted: Capitals = { upper: new Map(), lower: new Map() }
  countCapitals(sentences, counted, isTitle)
  const words = new Set([...sentences, ...more].flatMap((all) => all.filter(({ stop }) => !stop)).map((t) => t.lower))
  return Array.from(words, (word) => [word, counted.upper.get(word) ?? 0, counted.lower.get(word) ?? 0] as const)
}

/** Reads the titles of documents; the chunks of one come one after the other. */
function createTitles() {
  let last: { title: string; sentences: Sentence[] } | null = null
  return (chunk: StoredChunk): Sentence[] => {
    const title = titleText(chunk)
    if (last?.title !== title) last = { title, sentences: readSentences(title) }
    return last.sentences
  }
}

/**
 * Reads the chunks that have no record among earlier ones, and those with a word that is written as a name now and was not then, or the reverse. The
 * result is the same as without earlier records.
 */
export async function readRecords(chunks: Chunks, earlier: ChunkRecords | null): Promise<ChunkRecords> {
  const pause = createPauses()
  const known = new Map<string, number>()
  for (const [position, digest] of earlier?.digests.entries() ?? []) known.set(digest, position)
  const titleOf = createTitles()
  const counts = createWordCounts()
  const wordOf = renumbering(earlier?.wordTexts, (word) => counts.numberOf(word))
  const words = createPackedLists()
  const digests: string[] = []
  let document: string | null = null
  for (const chunk of chunks) {
    const digest = digestOf(chunk)
    digests.push(digest)
    const position = known.get(digest)
    const list =
      position === undefined
        ? wordsIn(readSentences(chunk.content), titleOf(chunk)).flatMap(([word, ...of]) => [
            counts.numberOf(word),
            ...of,
          ])
        : earlier!.words.at(position).map((number, at) => (at % WORD_NUMBERS === 0 ? wordOf(number) : number))
    words.add(list)
    for (let at = 0; at < list.length; at += WORD_NUMBERS) counts.count(list[at]!, list[at + 1]!, list[at + 2]!)
    if (chunk.document !== document)
      for (const [word, ...of] of wordsIn(titleOf(chunk), [], true)) counts.count(counts.numberOf(word), ...of)
    document = chunk.document
    await pause()
  }

  const names = Uint8Array.from({ length: counts.texts.size }, (_, word) => (counts.isName(word) ? 1 : 0))
  const isOther = new Uint8Array(names.length)
  for (let word = 0; word < (earlier?.names.length ?? 0); word += 1) {
    const now = counts.texts.find(earlier!.wordTexts.text(word))
    if (now !== undefined && names[now] !== earlier!.names[word]) isOther[now] = 1
    await pause()
  }
  const isCurrent = (list: readonly number[]): boolean =>
    list.every((word, at) => at % WORD_NUMBERS !== 0 || isOther[word] === 0)

  const concepts = createTextTable()
  const conceptOf = renumbering(earlier?.conceptTexts, (concept) => concepts.add(concept))
  const found = createPackedLists()
  let [chunkAt, chunksRead] = [0, 0]
  for (const chunk of chunks) {
    const position = known.get(digests[chunkAt]!)
    if (position !== undefined && isCurrent(words.at(chunkAt))) {
      const list = earlier!.found.at(position)
      for (let at = 0; at < list.length; at = endOfConcept(list, at)) list[at] = conceptOf(list[at]!)
      found.add(list)
    } else {
      chunksRead += 1
      const own = collect(mentionsOf(readSentences(chunk.content), counts.capitals))
      const all = withTitle(own, mentionsOf(titleOf(chunk), counts.capitals))
      found.add(
        Array.from(all).flatMap(([key, { kind, mentions, sentences }]) => [
          concepts.add(key),
          KINDS.indexOf(kind),
          mentions,
          sentences.length,
          // One more than the number, so that the title is not a negative one.
          ...sentences.map((sentence) => sentence + 1),
        ]),
      )
    }
    chunkAt += 1
    await pause()
  }
  return { digests, words, found, wordTexts: counts.texts, conceptTexts: concepts, names, chunksRead }
}
