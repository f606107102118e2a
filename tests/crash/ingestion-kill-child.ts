import path from 'node:path'
import { createGraphEngine } from '../../providers/platform/stores/graph-engine/create-graph-engine.ts'
import { graphTargetClient } from '../../providers/platform/stores/graph-engine/graph-target.ts'
import { IngestionService } from '../../providers/platform/ingestion/ingestion-service.ts'
import { openSqliteVectorStore } from '../../providers/platform/stores/vector-store/sqlite-vector-store.ts'
import { hashEmbeddings } from '../helpers/hash-embedding.ts'
import { DEFAULT_CORPUS_LIMITS, testProfile } from '../helpers/ingestion-profile.ts'
import { scriptedModels } from '../helpers/scripted-models.ts'

/**
 * An ingestion process that kills itself: `node ingestion-kill-child.ts <folder> <phase> <moment> <ahead>`, at the moment of that number in that
 * phase. Its clock is `ahead` milliseconds ahead, so that the lease of the process that was killed before it has ended.
 */
const [folder = '', phase = '', last = '', ahead = ''] = process.argv.slice(2)
let moments = 0
function moment(of: string): void {
  if (of !== phase) return
  moments += 1
  if (moments > Number(last)) process.kill(process.pid, 'SIGKILL')
}

let isDiscovering = true
let isChunking = false
const store = openSqliteVectorStore(path.join(folder, 'vectors.sqlite'))
const info = store.info.bind(store)
// The collection is looked up right before its chunks are made.
store.info = async (name) => {
  const found = await info(name)
  isChunking = true
  return found
}
const replace = store.replace.bind(store)
store.replace = async (name, source, chunks, embeddings, options) => {
  const everyTurn = (): void => {
    moment('vector_write')
    setImmediate(everyTurn)
  }
  everyTurn()
  return replace(name, source, chunks, embeddings, {
    async beforeSwitch() {
      await options?.beforeSwitch?.()
      moment('vector_write')
    },
  })
}

const models = scriptedModels({
  onExtract: async () => {
    moment('drain')
    return undefined
  },
})
const engine = createGraphEngine({
  stateFile: path.join(folder, 'graph.sqlite'),
  models,
  rerank: null,
  apiKey: null,
})
const target = graphTargetClient(engine)
const service = new IngestionService({
  stateFile: path.join(folder, 'state.sqlite'),
  corpusRoots: { project: path.join(folder, 'corpus'), own: null },
  consumer: 'atlas',
  profiles: [testProfile('smoke')],
  store,
  parsers: [
    {
      name: 'plain_text',
      accepts() {
        isDiscovering = false
        moment('parse')
        return false
      },
      parse: () => Promise.reject(new Error('accepts no file')),
    },
  ],
  embed: async (texts) => {
    isChunking = false
    moment('embed')
    return hashEmbeddings(texts)
  },
  embeddingSpace: 'hash-768',
  limits: DEFAULT_CORPUS_LIMITS,
  leaseSeconds: 10,
  graph: () => ({
    ...target,
    async uploadMany(documents, signal) {
      moment('graph_upload')
      const uploaded = await target.uploadMany(documents, signal)
      moment('graph_upload')
      return uploaded
    },
  }),
  clock: {
    now: () => {
      if (isDiscovering) moment('discover')
      if (isChunking) moment('chunk')
      return Date.now() + Number(ahead)
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(signal.reason as Error)
        })
      }),
  },
})
service.start()
const { ingestion_id: id } = await service.submit({ profile: 'smoke' })
await service.settled(id)
process.exit()
