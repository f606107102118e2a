import { open, readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { z } from 'zod'
import type {
  CorpusDocument,
  CorpusDocuments,
  CorpusDocumentsInput,
  CorpusDocumentText,
  DatasetQuestions,
  GoldSpan,
} from '../../../contract/control/corpora.ts'
import { MAX_FILE_BYTES } from '../../../contract/control/own-datasets.ts'
import { SafeRelativePath } from '../../../contract/common.ts'
import { speechPrompt } from '../../../contract/http/speech-prompt.ts'
import { bytesWords } from '../../../contract/words.ts'
import { documentsBelow } from '../../manifests/datasets/dataset-archive.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { ControlFailure } from '../control-failure.ts'
import { createLocator, type Span } from './gold-spans.ts'

const TEXT_ENDINGS = new Set([
  '.md',
  '.markdown',
  '.txt',
  '.text',
  '.csv',
  '.tsv',
  '.json',
  '.jsonl',
  '.yaml',
  '.yml',
  '.html',
  '.htm',
  '.xml',
  '.rst',
])
/** Larger texts are not shown: a page for reading, not an editor. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024
const TITLE_BYTES = 2048

const isText = (path: string): boolean => TEXT_ENDINGS.has(extname(path).toLowerCase())

interface Located {
  /** Absolute, links resolved. */
  file: string
  sizeBytes: number
}

/** A document's file; refuses whatever leads out of the corpus folder, links included. */
async function locate(root: string, { dataset }: LadderDataset, path: string): Promise<Located> {
  const missing = (): ControlFailure => new ControlFailure('not_found', `${dataset.id} has no document ${path}`)
  if (!SafeRelativePath.safeParse(path).success) throw missing()
  const folder = await realpath(join(root, dataset.corpus_path)).catch(() => null)
  const file = folder === null ? null : await realpath(join(folder, path)).catch(() => null)
  if (folder === null || file === null || !file.startsWith(folder + sep)) throw missing()
  const info = await stat(file)
  if (!info.isFile()) throw missing()
  return { file, sizeBytes: info.size }
}

/** Paths of all files below a dataset's corpus folder, sorted. */
export async function documentsOf(root: string, { dataset }: LadderDataset): Promise<string[]> {
  return documentsBelow(join(root, dataset.corpus_path)).catch(() => {
    throw new ControlFailure('not_found', `${dataset.id}: there is no folder ${dataset.corpus_path}`)
  })
}

const holdsAll = (text: string, words: readonly string[]): boolean => words.every((word) => text.includes(word))

/** The first heading of a text, or the name of the file. */
async function titleOf(file: string, path: string): Promise<string> {
  const name = path.split('/').at(-1)!
  if (!isText(path)) return name
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(TITLE_BYTES), 0, TITLE_BYTES, 0)
    const heading = /^#{1,3} +(.+)$/m.exec(buffer.subarray(0, bytesRead).toString('utf8'))?.[1]
    return heading?.trim().slice(0, 200) ?? name
  } finally {
    await handle.close()
  }
}

/** One page of a dataset's documents whose paths hold the words of a text, with how many gold facts rest on each. */
export async function listDocuments(
  root: string,
  dataset: LadderDataset,
  { offset, limit, text }: Omit<z.output<typeof CorpusDocumentsInput>, 'dataset_id'>,
): Promise<CorpusDocuments> {
  const all = await documentsOf(root, dataset)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const paths = words.length === 0 ? all : all.filter((path) => holdsAll(path.toLowerCase(), words))
  const gold = dataset.questions.flatMap(({ id, gold }) => gold.map(({ document }) => ({ id, document })))
  const byDocument = Map.groupBy(gold, ({ document }) => document)
  const documents = await Promise.all(
    paths.slice(offset, offset + limit).map(async (path): Promise<CorpusDocument> => {
      const { file, sizeBytes } = await locate(root, dataset, path)
      const facts = byDocument.get(path) ?? []
      return {
        path,
        title: await titleOf(file, path),
        size_bytes: sizeBytes,
        is_text: isText(path),
        gold_facts: facts.length,
        questions: new Set(facts.map(({ id }) => id)).size,
      }
    }),
  )
  return { total: all.length, matching: paths.length, offset, documents }
}

/** Never cuts a pair of surrogates in two. */
export function sliceEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1)
  return end < text.length && code >= 0xd800 && code <= 0xdbff ? end - 1 : end
}

/** The text of a dataset for a recognizer: its documents, without those that only a converter can read. */
export async function readSpeechPrompt(root: string, dataset: LadderDataset): Promise<string> {
  const texts = await Promise.all((await documentsOf(root, dataset)).map((path) => readText(root, dataset, path)))
  return speechPrompt(texts.filter((text) => text !== null))
}

/** Returns where a document's file is, for those who send it as it is. Throws as `readDocument` does. */
export async function documentFile(root: string, dataset: LadderDataset, path: string): Promise<string> {
  const { file, sizeBytes } = await locate(root, dataset, path)
  if (sizeBytes > MAX_FILE_BYTES)
    throw new ControlFailure(
      'request_too_large',
      `${path} has ${bytesWords(sizeBytes)}; a page shows at most ${bytesWords(MAX_FILE_BYTES)}: open the file itself`,
    )
  return file
}

interface DocumentSlice {
  path: string
  offset: number
  limit: number
}

/** A document's whole text; null for one that only a converter can read, or that is too large to be shown. Throws as `readDocument` does. */
export async function readText(root: string, dataset: LadderDataset, path: string): Promise<string | null> {
  const { file, sizeBytes } = await locate(root, dataset, path)
  return isText(path) && sizeBytes <= MAX_TEXT_BYTES ? readFile(file, 'utf8') : null
}

/** A slice of a document's text with all its gold facts in place. */
export async function readDocument(
  root: string,
  dataset: LadderDataset,
  { path, offset, limit }: DocumentSlice,
): Promise<CorpusDocumentText> {
  const { file, sizeBytes } = await locate(root, dataset, path)
  const unread = (reason: string): CorpusDocumentText => ({ is_text: false, path, size_bytes: sizeBytes, reason })
  if (!isText(path)) return unread('only a converter can read this kind of file')
  if (sizeBytes > MAX_TEXT_BYTES) return unread(`the file has more than ${MAX_TEXT_BYTES} bytes`)
  const text = await readFile(file, 'utf8')
  const find = createLocator(text)
  const gold: GoldSpan[] = []
  const lost: { question_id: string; fact: string }[] = []
  for (const { id, gold: facts } of dataset.questions)
    for (const { document, fact } of facts) {
      if (document !== path || fact === undefined) continue
      const spans = find(fact)
      if (spans.length === 0) lost.push({ question_id: id, fact })
      gold.push(...spans.map((span) => ({ ...span, question_id: id, fact })))
    }
  const end = sliceEnd(text, Math.min(text.length, offset + limit))
  return {
    is_text: true,
    path,
    text: text.slice(offset, end),
    total: text.length,
    next_offset: end < text.length ? end : null,
    gold: gold.sort((a, b) => a.start - b.start),
    lost_gold: lost,
  }
}

interface QuestionPage {
  offset: number
  limit: number
  question_id?: string | undefined
}

/** One page of a dataset's questions, or a single one, with each gold fact located in its document. */
export async function readQuestions(
  root: string,
  dataset: LadderDataset,
  page: QuestionPage,
): Promise<DatasetQuestions> {
  const all = dataset.questions
  const chosen =
    page.question_id === undefined
      ? all.slice(page.offset, page.offset + page.limit)
      : all.filter(({ id }) => id === page.question_id)
  const locators = new Map<string, Promise<(fact: string) => Span[]>>()
  const locatorOf = (document: string) => {
    const known = locators.get(document)
    if (known !== undefined) return known
    const made = locate(root, dataset, document)
      .then(({ file, sizeBytes }) => (isText(document) && sizeBytes <= MAX_TEXT_BYTES ? readFile(file, 'utf8') : ''))
      // A gold document that is gone shows as facts without a place.
      .catch((error: unknown) => {
        if (error instanceof ControlFailure) return ''
        throw error
      })
      .then(createLocator)
    locators.set(document, made)
    return made
  }
  const questions = await Promise.all(
    chosen.map(async (question) => ({
      question,
      gold: await Promise.all(
        question.gold.map(async ({ document, fact }) => ({
          document,
          fact: fact ?? null,
          is_text: isText(document),
          spans: fact === undefined ? [] : (await locatorOf(document))(fact),
        })),
      ),
    })),
  )
  return { total: page.question_id === undefined ? all.length : questions.length, offset: page.offset, questions }
}
