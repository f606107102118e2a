import { canonicalNames } from '../extraction/canonical-names.ts'
import { extractGraph } from '../extraction/extract-graph.ts'
import { mentionedSentences } from '../extraction/mentions.ts'
import { memoized } from '../language/memo.ts'
import { indexOf } from '../matching/terms.ts'
import type { TermIndex } from '../matching/terms.ts'
import { nameKey } from './names.ts'

/** A name that a sentence speaks of. `sure`: 1 when it is written there, less when it is only implied. `at`: its offset, null when implied. */
export interface Spoken {
  name: string
  key: readonly string[]
  sure: number
  at: number | null
}

/** A sentence of a passage with the names that it speaks of. */
export interface Line {
  text: string
  /** False for a piece that the border of its passage cut. */
  whole: boolean
  own: TermIndex
  /** Holds what comes before it: title and last sentence. */
  near: TermIndex
  spoken: readonly Spoken[]
}

const SURE = { named: 1, implied: 0.8, before: 0.5, topic: 0.45 } as const
/** Descriptions of an extraction are cut: sentences are compared by their start. */
const COMPARED_CHARS = 200

const startOf = (text: string): string => text.replace(/\s+/g, ' ').slice(0, COMPARED_CHARS)

/** The names that each sentence implies, as far as the extraction could trace its pronouns and nouns. */
function impliedNames(title: string, text: string): Map<string, string[]> {
  const { relations } = extractGraph({ title, text })
  const bySentence = Map.groupBy(relations, ({ description }) => startOf(description))
  return new Map(
    [...bySentence].map(([start, list]) => [start, list.flatMap(({ source, target }) => [source, target])]),
  )
}

function readLines(title: string, text: string): Line[] {
  const sentences = mentionedSentences(text, title)
  const full = canonicalNames(sentences)
  const implied = impliedNames(title, text)
  let before: readonly string[] = []
  let previous = ''
  return sentences.map(({ sentence, mentions }) => {
    const named = mentions.map(({ name, start }) => ({ name: full.get(name) ?? name, start }))
    const spoken = surest([
      ...named.map(({ name, start }) => spokenOf(name, SURE.named, start)),
      ...(implied.get(startOf(sentence.text)) ?? []).map((name) => spokenOf(name, SURE.implied)),
      ...before.map((name) => spokenOf(name, SURE.before)),
      spokenOf(title, SURE.topic),
    ])
    const near = indexOf(`${title}\n${previous}`)
    if (named.length > 0) before = named.map(({ name }) => name)
    previous = sentence.text
    return { text: sentence.text, whole: sentence.whole, own: indexOf(sentence.text), near, spoken }
  })
}

const spokenOf = (name: string, sure: number, at: number | null = null): Spoken => ({
  name,
  key: nameKey(name),
  sure,
  at,
})

/** Each name once, as it is spoken of most surely. */
function surest(all: readonly Spoken[]): Spoken[] {
  const best = new Map<string, Spoken>()
  for (const spoken of all) {
    const id = spoken.key.join(' ')
    if (id !== '' && (best.get(id)?.sure ?? 0) < spoken.sure) best.set(id, spoken)
  }
  return [...best.values()]
}

const linesOfPassage = memoized(256, (key): readonly Line[] => {
  const [title, text] = JSON.parse(key) as [string, string]
  return readLines(title, text)
})

/** The sentences of passages, each text once; pieces of sentences that are there as a whole are left out. */
export function linesOf(passages: readonly { title: string; text: string }[]): Line[] {
  const lines = new Map<string, Line>()
  for (const { title, text } of passages) {
    for (const line of linesOfPassage(JSON.stringify([title, text]))) {
      const id = line.text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')
      const known = lines.get(id)
      // Passages differ in the text around a sentence, and so in what it can be found to mention.
      lines.set(id, known === undefined ? line : { ...known, spoken: surest([...known.spoken, ...line.spoken]) })
    }
  }
  const whole = [...lines].filter(([, line]) => line.whole).map(([id]) => id)
  return [...lines]
    .filter(([id, line]) => line.whole || !whole.some((other) => other.includes(id)))
    .map(([, line]) => line)
}
