import { glob, readFile } from 'node:fs/promises'
import { speechPrompt } from '../../contract/index.ts'
import { loadDatasets } from '../../main/manifests/load-datasets.ts'
import { spokenSentences } from '../../providers/stt/backends/adaptation/spoken-sentences.ts'
import { ENROLMENT_SENTENCES } from '../../providers/stt/speakers/enrolment-sentences.ts'
import { randomFrom } from '../helpers/random.ts'

/** What is said in one go, and the text that a recogniser may be given. */
export interface Recording {
  kind: 'question' | 'text'
  sentences: string[]
  prompt: string
}

const SEED = 20_260
const TEXTS = 100
/** Running text is dictated, questions are asked one at a time. */
const TEXTS_PER_RECORDING = 10
const TEXT_CORPUS = 'corpus/subset'

/**
 * All questions of the datasets (there are a hundred), each a recording of its own, and a hundred sentences of running text of the general corpus, drawn by a
 * fixed seed. Prompts are what the product sends for the dataset, less every sentence that holds a word run of the sample: nothing that is said
 * is in what the recogniser was given.
 */
export async function spokenSample(): Promise<Recording[]> {
  const datasets = await loadDatasets('.', 'manifests/datasets.yaml')
  const texts = await corpusSentences(TEXTS)
  const asked: { corpus: string; query: string }[] = []
  for (const { dataset, own } of datasets)
    asked.push(...own!.questions.map(({ query }) => ({ corpus: dataset.corpus_path, query })))
  const said = new Set([...texts, ...asked.map(({ query }) => query)].flatMap(runsOf))
  const read = ENROLMENT_SENTENCES.flatMap(runsOf).find((run) => said.has(run))
  if (read !== undefined) throw new Error(`the sentences for enrolment hold what is said: ${read}`)
  const prompts = new Map<string, string>()
  for (const { dataset } of datasets) prompts.set(dataset.corpus_path, await heldOutPrompt(dataset.corpus_path, said))
  const recordings: Recording[] = asked.map(({ corpus, query }) => ({
    kind: 'question',
    sentences: [query],
    prompt: prompts.get(corpus)!,
  }))
  for (let first = 0; first < texts.length; first += TEXTS_PER_RECORDING)
    recordings.push({
      kind: 'text',
      sentences: texts.slice(first, first + TEXTS_PER_RECORDING),
      prompt: prompts.get(TEXT_CORPUS)!,
    })
  return recordings
}

/** Runs of this many words are taken for the same sentence. */
const RUN = 6

function runsOf(text: string): string[] {
  const words = spokenSentences(text).flat()
  return Array.from({ length: Math.max(0, words.length - RUN + 1) }, (_, i) => words.slice(i, i + RUN).join(' '))
}

async function heldOutPrompt(corpus: string, said: ReadonlySet<string>): Promise<string> {
  const files: string[] = []
  for await (const file of glob(`${corpus}/**/*.{md,txt}`)) files.push(file)
  const texts = await Promise.all(files.sort().map((file) => readFile(file, 'utf8')))
  const kept = texts.map((text) =>
    text
      .split(/(?<=[.?!:;])\s+|\n\s*\n/)
      .filter((sentence) => !runsOf(sentence).some((run) => said.has(run)))
      .join('\n\n'),
  )
  const prompt = speechPrompt(kept)
  const left = runsOf(prompt).filter((run) => said.has(run))
  if (left.length > 0) throw new Error(`${corpus}: the prompt holds what is said: ${left[0]!}`)
  return prompt
}

/** Sentences of the general corpus, drawn by a fixed seed: 6 to 20 words of running text, unchanged, with names and numbers. */
async function corpusSentences(count: number): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob(`${TEXT_CORPUS}/*.md`)) files.push(file)
  const sentences: string[] = []
  for (const file of files.sort()) {
    const paragraphs = (await readFile(file, 'utf8')).split(/\n\s*\n/)
    // Headings, lists, tables and codes are not running text.
    const prose = paragraphs.filter((paragraph) => /^[A-Z]/.test(paragraph) && !/[|`*_[\]<>]/.test(paragraph))
    for (const sentence of prose
      .join(' ')
      .replace(/\s+/g, ' ')
      .split(/(?<=[.?!]) (?=[A-Z])/)) {
      const length = sentence.split(' ').length
      if (length >= 6 && length <= 20) sentences.push(sentence.trim())
    }
  }
  const random = randomFrom(SEED)
  const drawn = sentences.map((sentence) => ({ sentence, at: random() })).sort((a, b) => a.at - b.at)
  return drawn.slice(0, count).map(({ sentence }) => sentence)
}
