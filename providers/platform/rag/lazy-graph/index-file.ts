import { createHash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../../../kit/kept-files.ts'
import { createChunkConcepts } from './chunk-concepts.ts'
import { STORED_LISTS } from './concept-index.ts'
import type { ConceptIndex } from './concept-index.ts'
import { createConceptList } from './concept-list.ts'
import { createStoredStems } from './stem-holders.ts'

/** Items in one line of the file. */
const AT_ONCE = 500

const LISTS = Object.keys(STORED_LISTS) as (keyof typeof STORED_LISTS)[]

/** The file's text, a JSON object, in lines that each hold some items of a list: neither writing nor reading needs all of it at once. */
function* storedForm(index: ConceptIndex): Generator<string> {
  const hash = createHash('sha256')
  for (const piece of listsOf(index)) {
    hash.update(piece)
    yield piece
  }
  yield `,"digest":"${hash.digest('hex')}"}\n`
}

function* listsOf(index: ConceptIndex): Generator<string> {
  const { fingerprint, edges } = index
  yield JSON.stringify({ fingerprint, edges }).slice(0, -1)
  for (const name of LISTS) {
    yield `,"${name}":[\n`
    yield* inLines(index[name])
    yield '\n]'
  }
}

function* inLines(items: Iterable<unknown>): Generator<string> {
  let line: string[] = []
  let separator = ''
  for (const item of items) {
    line.push(JSON.stringify(item))
    if (line.length < AT_ONCE) continue
    yield separator + line.join(',')
    line = []
    separator = ',\n'
  }
  if (line.length > 0) yield separator + line.join(',')
}

/** A cached index, or null when there is none for this fingerprint. A file in another form, or with other bytes than were written, counts as missing. */
export async function readIndexFile(file: string, fingerprint: string): Promise<ConceptIndex | null> {
  try {
    const handle = await open(file)
    try {
      return await indexOfLines(handle.readLines(), fingerprint)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

/** The last line: the digest of everything before it. */
const END = /^\],"digest":"(.*)"\}$/
/** The line between the items of two lists, and before the first one. */
const BEGINNING = /^(.*),"(\w+)":\[$/

async function indexOfLines(lines: AsyncIterable<string>, fingerprint: string): Promise<ConceptIndex | null> {
  const [concepts, singles] = [createConceptList(), createConceptList()]
  const chunks = createChunkConcepts()
  const terms = createStoredStems()
  const readers = {
    concepts: listReader(STORED_LISTS.concepts, (item) => concepts.add(item)),
    chunks: listReader(STORED_LISTS.chunks, (item) => chunks.add(item)),
    singles: listReader(STORED_LISTS.singles, (item) => singles.add(item)),
    terms: listReader(STORED_LISTS.terms, (item) => terms.add(item)),
  }
  const waiting = [...LISTS]
  let head: z.infer<typeof Head> | null = null
  let list: (typeof LISTS)[number] | undefined
  const hash = createHash('sha256')
  for await (const line of lines) {
    const end = END.exec(line)
    hash.update(end === null ? `${line}\n` : ']')
    const beginning = BEGINNING.exec(line)
    if (beginning !== null) {
      list = waiting.shift()
      if (list !== beginning[2]) return null
      if (head === null) {
        const read = Head.safeParse(JSON.parse(`${beginning[1]}}`))
        if (read.data?.fingerprint !== fingerprint) return null
        head = read.data
      }
    } else if (end !== null && head !== null && waiting.length === 0) {
      if (hash.digest('hex') !== end[1]) return null
      return {
        ...head,
        concepts: concepts.done(),
        singles: singles.done(),
        chunks: chunks.done(),
        terms: terms.done(),
      }
    } else if (list === undefined || !readers[list](line)) return null
  }
  return null
}

const Head = z.strictObject({ fingerprint: z.string(), edges: z.int().min(0) })

/** Reads the items of a line; false when they are not of the list's shape. */
const listReader = <Item>(schema: z.ZodType<Item>, add: (item: Item) => void) => {
  const Items = z.array(schema)
  return (line: string): boolean => {
    const read = Items.safeParse(JSON.parse(`[${line.replace(/,$/, '')}]`))
    for (const item of read.data ?? []) add(item)
    return read.success
  }
}

/** Replaces the cached index. */
export async function writeIndexFile(file: string, index: ConceptIndex): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await replaceFile(file, (handle) => handle.writeFile(storedForm(index)))
}
