import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { IngestionRecord } from '../../contract/http/ingestion.ts'
import { IngestionService } from '../../providers/platform/ingestion/ingestion-service.ts'
import type { IngestionOptions } from '../../providers/platform/ingestion/ingestion-deps.ts'
import type { EmbedDocuments } from '../../providers/platform/ingestion/kept-vectors.ts'
import { openSqliteVectorStore } from '../../providers/platform/stores/vector-store/sqlite-vector-store.ts'
import type { VectorStore } from '../../providers/platform/stores/vector-store/vector-store.ts'
import { hashEmbeddings } from './hash-embedding.ts'
import { DEFAULT_CORPUS_LIMITS, testProfile } from './ingestion-profile.ts'

/** Writes files below a folder, parents included. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}

/** `count` documents of several chunks each. */
export const someDocuments = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `doc-${String(index).padStart(3, '0')}.md`,
      `# Document ${index}\n\n${`Lock ${index} was built of stone and opened in spring. `.repeat(6)}`,
    ]),
  )

/** A temporary folder with a corpus root, a vector store and services over them. */
export interface IngestionSite {
  folder: string
  corpusRoot: string
  store: VectorStore
  options(changes?: Partial<IngestionOptions>): IngestionOptions
  service(changes?: Partial<IngestionOptions>): IngestionService
}

/** Opens a site whose corpus `smoke` has three documents, until the running test ends. */
export async function openIngestionSite(): Promise<IngestionSite> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ingestion-'))
  const corpusRoot = path.join(folder, 'corpus')
  await writeFiles(path.join(corpusRoot, 'smoke'), someDocuments(3))
  const store = openSqliteVectorStore(path.join(folder, 'vectors.sqlite'))
  const services: IngestionService[] = []
  const options = (changes: Partial<IngestionOptions> = {}): IngestionOptions => ({
    stateFile: path.join(folder, 'state.sqlite'),
    corpusRoots: { project: corpusRoot, own: path.join(folder, 'datasets') },
    consumer: 'atlas',
    profiles: [testProfile('smoke')],
    store,
    embed: hashEmbeddings,
    embeddingSpace: 'hash-768',
    limits: DEFAULT_CORPUS_LIMITS,
    leaseSeconds: 10,
    ...changes,
  })
  onTestFinished(async () => {
    for (const service of services) await service.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    folder,
    corpusRoot,
    store,
    options,
    service: (changes) => {
      const service = new IngestionService(options(changes))
      services.push(service)
      return service
    },
  }
}

/** An embedder whose first call reports that it has started and then waits to be released. */
export function gatedEmbedding() {
  let begun!: () => void
  let release!: () => void
  const gate = {
    calls: 0,
    reached: new Promise<void>((resolve) => (begun = resolve)),
    opened: new Promise<void>((resolve) => (release = resolve)),
  }
  const embed: EmbedDocuments = async (texts) => {
    gate.calls += 1
    begun()
    await gate.opened
    return hashEmbeddings(texts)
  }
  return { embed, gate, release }
}

/** Runs the job of a profile to its end. */
export async function ingest(
  service: IngestionService,
  profile = 'smoke',
  { retry = false } = {},
): Promise<IngestionRecord> {
  const { ingestion_id: id } = await service.submit({ profile, retry }, { inRequest: true })
  return service.settled(id)
}

/** A job's phase by name. */
export const phase = (record: IngestionRecord, name: string) =>
  record.phases.find((candidate) => candidate.name === name)!
