import { existsSync } from 'node:fs'
import path from 'node:path'
import { IngestionService } from '../../providers/platform/ingestion/ingestion-service.ts'
import { openSqliteVectorStore } from '../../providers/platform/stores/vector-store/sqlite-vector-store.ts'
import { hashEmbeddings } from './hash-embedding.ts'
import { DEFAULT_CORPUS_LIMITS, testProfile } from './ingestion-profile.ts'

/**
 * An ingestion process for tests that kill or race it: `node ingestion-child.ts <folder> <mode>`. hang: works on a job and sends
 * `embedding` when its second batch has begun, which never ends. submit: sends `ready`, and on any message submits and sends the answer.
 */
const [folder = '', mode] = process.argv.slice(2)
if (!existsSync(folder)) throw new Error(`no folder '${folder}'`)

let batches = 0
const service = new IngestionService({
  stateFile: path.join(folder, 'state.sqlite'),
  corpusRoots: { project: path.join(folder, 'corpus'), own: null },
  consumer: 'atlas',
  profiles: [testProfile('smoke')],
  store: openSqliteVectorStore(path.join(folder, 'vectors.sqlite')),
  embed: async (texts) => {
    batches += 1
    if (batches > 1) {
      process.send!('embedding')
      await new Promise(() => undefined)
    }
    return hashEmbeddings(texts)
  },
  embeddingSpace: 'hash-768',
  limits: DEFAULT_CORPUS_LIMITS,
  leaseSeconds: 10,
})

if (mode === 'hang') {
  service.start()
  await service.submit({ profile: 'smoke' })
} else {
  process.once('message', () => {
    void service.submit({ profile: 'smoke' }).then((accepted) => process.send!(accepted, () => process.disconnect()))
  })
  process.send!('ready')
}
