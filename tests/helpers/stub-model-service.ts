import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ServiceModel } from '../../contract/http/service-model.ts'
import { listenLocally } from './local-server.ts'

/** Of the model that can be fetched: its whole size, and what is there when the download halts. */
const WHOLE_BYTES = 92_000_000
const FIRST_BYTES = 23_000_000

/** The models' routes of a text-to-speech service with one model that is installed and one that can be fetched. */
export interface StubModelService {
  url: string
  /** Lets downloads, which halt after their first bytes, come to their end. */
  release(): void
  close(): Promise<void>
}

const INSTALLED: ServiceModel = {
  id: 'flite',
  task: 'text-to-speech',
  license: 'BSD-4-Clause',
  installed: true,
  download_bytes: null,
  source_page: null,
  progress: null,
  pinned: null,
  experimental: false,
  failure: null,
}
const FETCHABLE: ServiceModel = {
  id: 'kokoro',
  task: 'text-to-speech',
  license: 'Apache-2.0',
  installed: false,
  download_bytes: WHOLE_BYTES,
  source_page: 'https://example.org/kokoro',
  progress: null,
  pinned: true,
  experimental: false,
  failure: null,
}

export async function startStubModelService(): Promise<StubModelService> {
  const fetchable = { ...FETCHABLE }
  let downloads: ((isWhole: boolean) => void)[] = []
  const endDownloads = (isWhole: boolean): void => {
    const ended = downloads
    downloads = []
    Object.assign(fetchable, { progress: null, installed: isWhole })
    for (const end of ended) end(isWhole)
  }
  const answer = ({ method, url }: IncomingMessage, response: ServerResponse): void => {
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const route = `${method} ${url}`
    if (route === 'GET /v1/registry') send(200, { object: 'list', data: [INSTALLED, fetchable] })
    else if (route === `POST /v1/models/${fetchable.id}`) {
      fetchable.progress = { received_bytes: FIRST_BYTES, total_bytes: WHOLE_BYTES }
      const end = (isWhole: boolean): void =>
        send(isWhole ? 200 : 409, { detail: isWhole ? 'downloaded' : 'The download was stopped' })
      downloads = [...downloads, end]
    } else if (route === `DELETE /v1/models/${fetchable.id}`) {
      endDownloads(false)
      send(200, { detail: 'deleted' })
    } else send(404, { detail: 'Not Found' })
  }
  const server = createServer(answer)
  return { ...(await listenLocally(server)), release: () => endDownloads(true) }
}
