// Several workers, each with a connection of its own, run the research sessions of one database until the process is killed.
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '../helpers/database-address.ts'
import { chatCompletion } from '../../providers/platform/models/openai/chat-completion.ts'
import { RESEARCH, research } from '../../providers/platform/specified/research/run-research.ts'
import { TaskStore } from '../../providers/platform/jobs/task-store.ts'
import { TaskWorker } from '../../providers/platform/jobs/task-worker.ts'

const [file, secret, workers] = [process.argv[2]!, process.argv[3]!, Number(process.argv[4])]
for (let worker = 0; worker < workers; worker += 1) void startWorker()

async function startWorker(): Promise<void> {
  const database = await openDatabase(file)
  const handler = research({
    models: {
      isBuiltin: () => true,
      async chat(role) {
        await delay(1 + Math.random() * 5)
        const text = role === 'graph_keyword' ? '{"low_level": ["wall"], "high_level": []}' : 'It is three metres high.'
        return chatCompletion('test', text, { promptTokens: 1, completionTokens: 1 })
      },
    },
    corpora: async (query) => [{ key: query, title: 'Walls', text: query, document: null, url: 'http://walls.test/' }],
    web: null,
  })
  new TaskWorker({
    store: new TaskStore(database, { secret, leaseMs: 60, visibilityTimeoutMs: 10_000 }),
    settings: { concurrency: 2, prefetchMultiplier: 1, softLimitMs: 5000, hardLimitMs: 6000 },
    pollMs: 10,
    handlers: { [RESEARCH]: handler },
  }).start()
  process.stdout.write('ready\n')
}
