import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { RPCHandler } from '@orpc/server/node'
import { SECURITY_HEADERS } from '../../main/engine/http/content-security-policy.ts'
import { comparisonProcedures } from './fake-control/comparisons.ts'
import { datasetProcedures } from './fake-control/datasets.ts'
import { os } from './fake-control/implementer.ts'
import { placeProcedures } from './fake-control/places.ts'
import { resultProcedures } from './fake-control/results.ts'
import { Feed } from './fake-control/run.ts'
import { runProcedures } from './fake-control/runs.ts'
import { FakeServiceModels } from './fake-control/service-models.ts'
import { type FakeControlOptions, type FakeState, startState } from './fake-control/state.ts'
import { systemProcedures } from './fake-control/system.ts'
import { loadWorld } from './fake-control/world.ts'

export interface FakeControl {
  url: string
  /** Cuts every open stream, as a dying engine would. */
  dropStreams: () => void
  /** Lets downloads of models, which halt after their first bytes, come to their end. */
  releaseDownloads: () => void
  close: () => Promise<void>
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const routerOf = (state: FakeState) =>
  os.router({
    ...systemProcedures(state),
    ...runProcedures(state),
    ...resultProcedures(state),
    ...comparisonProcedures(state),
    ...datasetProcedures(state),
    ...placeProcedures(state),
  })

async function serveFile(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = normalize(new URL(request.url ?? '/', 'http://host').pathname)
  const file = join(folder, path === '/' ? 'index.html' : path)
  const bytes = await readFile(file).catch(() => null)
  if (bytes === null) response.writeHead(404).end('not found')
  else
    response
      .writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        ...SECURITY_HEADERS,
      })
      .end(bytes)
}

/** The control API over generated evidence, in memory, for the pages' specs and for work on the pages without an engine. */
export async function startFakeControl(options: FakeControlOptions): Promise<FakeControl> {
  const world = await loadWorld(options.root, options.bigQuestions ?? 0)
  const feed = new Feed()
  const streams = new Set<AbortController>()
  const handler = new RPCHandler(routerOf(startState(world, options, feed, streams)))
  const models = new FakeServiceModels()
  const server: Server = createServer((request, response) => {
    if (models.answer(request, response)) return
    void handler.handle(request, response, { prefix: '/control', context: {} }).then(async ({ matched }) => {
      if (matched) return
      if (options.files === undefined) response.writeHead(404).end()
      else await serveFile(options.files, request, response)
    })
  })
  await new Promise<void>((listening) => server.listen(options.port ?? 0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    dropStreams: () => {
      for (const stream of [...streams]) stream.abort()
    },
    releaseDownloads: () => models.release(),
    close: async () => {
      for (const stream of [...streams]) stream.abort()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

if (import.meta.main) {
  const fake = await startFakeControl({
    root: process.cwd(),
    files: 'out/renderer',
    port: Number(process.env.PORT ?? 4810),
    empty: process.env.FAKE_EMPTY === '1',
    hostile: process.env.FAKE_HOSTILE === '1',
    bigQuestions: Number(process.env.FAKE_BIG ?? 0),
  })
  console.log(fake.url)
}
