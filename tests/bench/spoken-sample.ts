import { glob, readFile } from 'node:fs/promises'
import { loadProjectDatasets } from '../../main/manifests/datasets/load-datasets.ts'
import { randomFrom } from '../helpers/random.ts'

/** Describes what is spoken in one go. */
export interface Recording {
  kind: 'question' | 'text'
  sentences: string[]
}

const SEED = 20_260
const QUESTIONS = 100
const TEXTS = 100
/** Running text is dictated, questions are asked one at a time. */
const TEXTS_PER_RECORDING = 10
const TEXT_CORPUS = 'corpus/subset'

/**
 * Two hundred sentences: a hundred questions, evenly from all datasets, each a recording of its own, and a hundred sentences of running text of
 * the general corpus, drawn by a fixed seed.
 */
export async function spokenSample(): Promise<Recording[]> {
  const datasets = await loadProjectDatasets('.', 'manifests/datasets.yaml')
  const questions = datasets.flatMap(({ own }) => own!.questions.map(({ query }) => query))
  const recordings: Recording[] = Array.from({ length: QUESTIONS }, (_, i) => ({
    kind: 'question',
    sentences: [questions[Math.floor((i * questions.length) / QUESTIONS)]!],
  }))
  const texts = await corpusSentences(TEXTS)
  for (let first = 0; first < texts.length; first += TEXTS_PER_RECORDING)
    recordings.push({ kind: 'text', sentences: texts.slice(first, first + TEXTS_PER_RECORDING) })
  return recordings
}

/** Sentences of the general corpus, drawn by a fixed seed: 6 to 20 words of running text, unchanged, with names and numbers. */
async function corpusSentences(count: number): Promise<string[]> {
  const files = await Array.fromAsync(glob(`${TEXT_CORPUS}/*.md`))
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
