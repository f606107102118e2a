import { hash } from 'node:crypto'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describeIssues } from '../../../../core/issues.ts'
import { MAX_HOPS, Question, type GoldEvidence } from '../../../../contract/manifests/queries.ts'
import { evidenceWords } from '../../../lib/text/evidence-words.ts'
import { documentNameProblem } from '../own-datasets.ts'
import { MAX_DOCUMENTS, tooManyDocuments } from './choose-records.ts'
import {
  ImportError,
  type ImportedDocument,
  type ImportedQuestion,
  type Importer,
  type OpenSource,
} from './importer.ts'
import type { LeftOut } from './left-out.ts'

// File names of documents that have a title only. They are legal on every system, also on those that ignore case.

const MAX_CHARACTERS = 80
const MAX_BYTES = 150
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i

/** The title as the name of a file, without its ending. */
function safeName(title: string): string {
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
function freeName(name: string, ending: string, taken: Map<string, number>): string {
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

// Writes the chosen documents as files, and makes questions of the product of the chosen ones. Documents with the same title and text are one
// file, and gold of each of them is gold of that file.

/** Longer documents do not become gold as a whole: nearly every context of them would count. */
const MAX_WHOLE_CHARACTERS = 20_000
const WRITES_AT_ONCE = 32

/** A document as it was written: where, and which of its wanted facts it holds. */
interface WrittenDocument {
  path: string
  characters: number
  held: ReadonlySet<string>
}

export async function writeDocuments(
  folder: string,
  source: OpenSource,
  questions: readonly ImportedQuestion[],
  { taken, blocked }: { taken: ReadonlySet<string> | null; blocked: ReadonlySet<string> },
  leftOut: LeftOut,
  onCount: (count: number) => void,
): Promise<{ byKey: Map<string, WrittenDocument>; count: number; of: number }> {
  const wantedFacts = Map.groupBy(
    questions.flatMap(({ gold }) => gold).filter(({ fact }) => fact !== undefined),
    ({ key }) => key,
  )
  const isGold = new Set(questions.flatMap(({ gold }) => gold.map(({ key }) => key)))
  const byKey = new Map<string, WrittenDocument>()
  const seen = new Set<string>()
  const keyOfText = new Map<string, string>()
  const names = new Map<string, number>()
  const writes = new ParallelWrites()
  let count = 0
  try {
    for await (const document of source.documents()) {
      const { key } = document
      if (seen.has(key)) continue
      seen.add(key)
      if (blocked.has(key) || (taken !== null && !taken.has(key))) continue
      const text = 'text' in document ? textOf(document) : null
      if (text === '') {
        leftOut.add('documents: without text', key)
        continue
      }
      const same = text === null ? undefined : keyOfText.get(digest(text))
      if (same !== undefined) {
        leftOut.add('documents: the same title and text as another one', key)
        // Gold of either is gold of the one that is kept.
        if (isGold.has(key)) byKey.set(key, heldBy(byKey.get(same)!.path, text, wantedFacts.get(key)))
        continue
      }
      if (text !== null) keyOfText.set(digest(text), key)
      const path = 'text' in document ? freeName(safeName(document.title || key), '.md', names) : pathOf(document)
      byKey.set(key, heldBy(path, text, wantedFacts.get(key)))
      count += 1
      if (count > MAX_DOCUMENTS) throw tooManyDocuments(count)
      const target = join(folder, path)
      await writes.start(() =>
        'text' in document
          ? writeFile(target, text!, { flag: 'wx' })
          : mkdir(dirname(target), { recursive: true }).then(() => copyFile(document.file, target)),
      )
      onCount(count)
    }
  } finally {
    // A failed import removes the folder, which must not get files after that.
    await writes.ended()
  }
  writes.throwFailure()
  return { byKey, count, of: seen.size }
}

/** Writes some files at once. The first failure is thrown by the next call. */
class ParallelWrites {
  readonly #pending = new Set<Promise<void>>()
  #failure: { error: unknown } | null = null

  async start(write: () => Promise<void>): Promise<void> {
    this.throwFailure()
    const done: Promise<void> = write()
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#pending.delete(done))
    this.#pending.add(done)
    if (this.#pending.size >= WRITES_AT_ONCE) await Promise.race(this.#pending)
  }

  async ended(): Promise<void> {
    await Promise.all(this.#pending)
  }

  throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}

const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

function textOf({ title, text }: Extract<ImportedDocument, { text: string }>): string {
  const body = text.replaceAll(/\r\n?/g, '\n').trim()
  const head = title.replaceAll(/\s+/g, ' ').trim()
  if (body === '') return ''
  return head === '' ? `${body}\n` : `# ${head}\n\n${body}\n`
}

function pathOf({ path }: Extract<ImportedDocument, { path: string }>): string {
  const name = path.normalize('NFC')
  const problem = documentNameProblem(name)
  if (problem !== null) throw new ImportError(`${path}: ${problem}: rename the file`)
  return name
}

/** Facts of a file that is not text are checked when the dataset is. */
function heldBy(path: string, text: string | null, wanted: readonly { fact?: string }[] = []): WrittenDocument {
  const words = text === null || wanted.length === 0 ? '' : ` ${evidenceWords(text).join(' ')} `
  const held = wanted.flatMap(({ fact = '' }) => {
    const own = evidenceWords(fact)
    return text === null || (own.length > 0 && words.includes(` ${own.join(' ')} `)) ? [fact] : []
  })
  return { path, characters: text?.length ?? 0, held: new Set(held) }
}

export function storedQuestions(
  questions: readonly ImportedQuestion[],
  byKey: ReadonlyMap<string, WrittenDocument>,
  importer: Importer,
  leftOut: LeftOut,
): Question[] {
  const ids = new Map<string, number>()
  return questions.flatMap((question) => {
    const { id, query, answer, accepted, keys = [], answerable, hops, tags, lost = [] } = question
    for (const [at, reason] of lost.entries()) leftOut.add(`gold facts: ${reason}`, `${id}\0${at}`)
    const gold = goldOf(question, byKey, importer, leftOut)
    if (gold === null) {
      leftOut.add('questions: a gold document is not in the source, or has no text', id)
      return []
    }
    const stored = Question.safeParse({
      id: freeName(
        id
          .replaceAll(/[^\w.-]/g, '-')
          .replace(/^[^A-Za-z0-9]+/, '')
          .slice(0, 100) || 'q',
        '',
        ids,
      ),
      query: query.trim(),
      ground_truth: answer === null || answer.trim() === '' ? null : answer.trim(),
      answerable,
      hops: hops !== null && hops >= 1 && hops <= MAX_HOPS ? hops : null,
      gold,
      answer_keys: accepted.length > 0 && answerable ? [accepted] : keys,
      tags: tags.filter((tag) => tag !== ''),
    })
    if (stored.success) return [stored.data]
    leftOut.add(`questions: ${describeIssues(stored.error)[0] ?? 'not valid'}`, id)
    return []
  })
}

/** Null where a gold document is missing that the question needs. */
function goldOf(
  { gold, id }: ImportedQuestion,
  byKey: ReadonlyMap<string, WrittenDocument>,
  importer: Importer,
  leftOut: LeftOut,
): GoldEvidence[] | null {
  const evidence = new Map<string, GoldEvidence>()
  for (const { key, fact } of gold) {
    const document = byKey.get(key)
    if (document === undefined) {
      if (importer.needsAllGold !== false) return null
      leftOut.add('gold documents: not in the source, or without text', `${id}\0${key}`)
      continue
    }
    const { path } = document
    if (fact === undefined || document.held.has(fact)) {
      evidence.set(`${path}\0${fact ?? ''}`, fact === undefined ? { document: path } : { document: path, fact })
      continue
    }
    if (importer.id === 'folder')
      throw new ImportError(
        `question ${id}: ${path} does not hold the fact "${fact.slice(0, 200)}": copy it from the document`,
      )
    const isWhole = importer.otherwise === 'document' && document.characters <= MAX_WHOLE_CHARACTERS
    leftOut.add(
      isWhole
        ? 'gold facts: not word for word in their document, which counts as a whole instead'
        : 'gold facts: not word for word in their document',
      `${id}\0${fact}`,
    )
    if (isWhole) evidence.set(`${path}\0`, { document: path })
  }
  return gold.length > 0 && evidence.size === 0 && importer.needsAllGold === false ? null : [...evidence.values()]
}
