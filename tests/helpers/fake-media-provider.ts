import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { listenLocally } from './local-server.ts'

/** A request that the provider has taken, and will charge when it completes. */
export interface FakeRequest {
  id: string
  model: string
  input: Record<string, unknown>
  state: 'waiting' | 'running' | 'completed' | 'cancelled' | 'failed' | 'gone'
  cancels: number
}

export interface FakeMediaProvider {
  url: string
  /** Oldest first. */
  requests: FakeRequest[]
  /** Authorization header of each call. */
  keys: (string | undefined)[]
  /** Holds what the next requests do; changed while it runs. */
  behaviour: {
    /** `drop`: takes the request, then resets the connection; a number: answers with that HTTP status and takes nothing. */
    submit: 'accept' | 'drop' | number
    /** States when a request completes by itself; one whose input has `endless` never does. */
    completesAfterMs: number
    /** `confirm`: cancelled at once; `late`: completes all the same; `remove`: is not known any more; `ignore`: goes on. */
    cancel: 'confirm' | 'late' | 'remove' | 'ignore'
    /** HTTP status of each question for a state, in place of an answer. */
    stateStatus: number | null
    /** Before a submission is answered. */
    delayMs: number
    files: { url?: string; bytes: Buffer; type: string }[]
    kind: 'images' | 'video'
  }
  close(): Promise<void>
}

/** A hosted provider with the queue of fal on 127.0.0.1. */
export async function startFakeMediaProvider(files: { bytes: Buffer; type: string }[]): Promise<FakeMediaProvider> {
  const started = new Map<string, number>()
  const fake: Omit<FakeMediaProvider, 'url' | 'close'> = {
    requests: [],
    keys: [],
    behaviour: {
      submit: 'accept',
      completesAfterMs: 0,
      cancel: 'confirm',
      stateStatus: null,
      delayMs: 0,
      files,
      kind: 'images',
    },
  }
  const server = createServer((request, response) => {
    void reply(request, response).then((sent) => {
      if (sent === null) return
      response.writeHead(sent[0], { 'content-type': 'application/json' }).end(JSON.stringify(sent[1]))
    })
  })
  const local = await listenLocally(server)
  const { url } = local
  return { ...fake, ...local }

  /** Status and body; null where the response is already what it should be. */
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<[number, unknown] | null> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { behaviour } = fake
    const path = request.url!.slice(1)
    const file = /^files\/(\d+)$/.exec(path)
    if (file !== null) {
      const { bytes, type } = behaviour.files[Number(file[1])]!
      response.writeHead(200, { 'content-type': type }).end(bytes)
      return null
    }
    fake.keys.push(request.headers.authorization)
    const known = /^([^/]+\/[^/]+)\/requests\/([\w-]+)(\/status|\/cancel)?$/.exec(path)
    if (known === null) {
      await delay(behaviour.delayMs)
      if (typeof behaviour.submit === 'number') return [behaviour.submit, { detail: 'no' }]
      const input = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
      const taken: FakeRequest = { id: randomUUID(), model: path, input, state: 'waiting', cancels: 0 }
      fake.requests.push(taken)
      started.set(taken.id, Date.now())
      if (behaviour.submit === 'drop') {
        ;(response.socket as Socket).resetAndDestroy()
        return null
      }
      return [200, { request_id: taken.id, status: 'IN_QUEUE', status_url: 'http://elsewhere.test/' }]
    }
    const found = fake.requests.find(({ id }) => id === known[2])
    if (found === undefined || found.state === 'gone') return [404, { detail: 'not found' }]
    if (
      found.state === 'waiting' &&
      found.input['endless'] !== true &&
      Date.now() - started.get(found.id)! >= behaviour.completesAfterMs
    )
      found.state = 'completed'
    if (known[3] === '/cancel') {
      found.cancels += 1
      if (found.state === 'completed') return [400, { status: 'ALREADY_COMPLETED' }]
      if (behaviour.cancel === 'confirm') found.state = 'cancelled'
      if (behaviour.cancel === 'late') found.state = 'completed'
      if (behaviour.cancel === 'remove') found.state = 'gone'
      return [202, { status: 'CANCELLATION_REQUESTED' }]
    }
    if (known[3] === '/status') {
      if (behaviour.stateStatus !== null) return [behaviour.stateStatus, {}]
      const words = {
        waiting: { status: 'IN_QUEUE', queue_position: 0 },
        running: { status: 'IN_PROGRESS' },
        completed: { status: 'COMPLETED' },
        cancelled: { status: 'COMPLETED', error: 'Cancelled', error_type: 'client_cancelled' },
        failed: { status: 'COMPLETED', error: 'http://secret.test broke', error_type: 'runner_error' },
      }
      return [200, words[found.state]]
    }
    const listed = behaviour.files.map(({ url: itsUrl, type }, index) => ({
      url: itsUrl ?? `${url}/files/${index}`,
      content_type: type,
    }))
    return [200, behaviour.kind === 'images' ? { images: listed, seed: 7 } : { video: listed[0] }]
  }
}
