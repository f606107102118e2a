import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenLocally, type LocalServer } from './local-server.ts'

interface StoredWorkflow {
  id: string
  name: string
  active: boolean
  isArchived: boolean
  createdAt: string
  nodes: Record<string, unknown>[]
  connections: object
  settings: object
}
type Reply = (status: number, value: object) => void

/** Fields that the public API takes; it refuses others. */
const FIELDS = ['name', 'nodes', 'connections', 'settings', 'staticData']
const REFUSED = { message: 'request/body must NOT have additional properties' }

/** The public API of n8n for workflows, as far as the platform uses it, with faults to switch on. */
export class FakeN8n {
  static readonly KEY = 'key-of-the-public-api'
  readonly workflows = new Map<string, StoredWorkflow>()
  /** Each request as `METHOD /path`, in order. */
  readonly calls: string[] = []
  /** Answers the next requests in place of the API; null lets one through. */
  faults: (((response: ServerResponse) => void) | null)[] = []
  pageSize = 100
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  #count = 0
  #local!: LocalServer

  async start(): Promise<this> {
    this.#local = await listenLocally(this.#server)
    return this
  }

  get url(): string {
    return this.#local.url
  }

  close(): Promise<void> {
    return this.#local.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const { pathname, searchParams } = new URL(request.url!, 'http://n8n')
    if (pathname === '/healthz') {
      response.end('{"status":"ok"}')
      return
    }
    this.calls.push(`${request.method!} ${pathname}`)
    const fault = this.faults.shift() ?? null
    if (fault !== null) {
      fault(response)
      return
    }
    const reply: Reply = (status, value) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const path = /^\/api\/v1\/workflows(?:\/([\w-]+))?(?:\/(activate|deactivate))?$/.exec(pathname)
    if (request.headers['x-n8n-api-key'] !== FakeN8n.KEY) reply(401, { message: 'unauthorized' })
    else if (path === null) reply(404, { message: 'not found' })
    else if (path[1] !== undefined) this.#one(request.method!, this.workflows.get(path[1]), path[2], body, reply)
    else if (request.method === 'GET') this.#list(searchParams, reply)
    else this.#add(body, reply)
  }

  #list(query: URLSearchParams, reply: Reply): void {
    const all = [...this.workflows.values()].filter(({ name }) => name === (query.get('name') ?? name))
    const from = Number(query.get('cursor') ?? 0)
    const to = from + this.pageSize
    reply(200, { data: all.slice(from, to), nextCursor: to >= all.length ? null : String(to) })
  }

  #add(body: string, reply: Reply): void {
    const content = contentOf(body)
    if (content === null) {
      reply(400, REFUSED)
      return
    }
    this.#count += 1
    const id = `wf${this.#count}`
    const createdAt = `2026-01-0${this.#count}T00:00:00.000Z`
    this.workflows.set(id, { id, active: false, isArchived: false, createdAt, ...content })
    reply(200, this.workflows.get(id)!)
  }

  #one(
    method: string,
    stored: StoredWorkflow | undefined,
    action: string | undefined,
    body: string,
    reply: Reply,
  ): void {
    if (stored === undefined) {
      reply(404, { message: 'Not Found' })
      return
    }
    if (action !== undefined) stored.active = action === 'activate'
    else if (method === 'PUT') {
      const content = contentOf(body)
      if (content === null) {
        reply(400, REFUSED)
        return
      }
      Object.assign(stored, content)
    }
    reply(200, stored)
  }
}

/** The content of a request; null where it has fields that the API refuses. n8n keeps settings of its own beside those that it is given. */
function contentOf(body: string): Pick<StoredWorkflow, 'name' | 'nodes' | 'connections' | 'settings'> | null {
  const value = JSON.parse(body) as StoredWorkflow
  if (!Object.keys(value).every((key) => FIELDS.includes(key))) return null
  return { ...value, settings: { ...value.settings, callerPolicy: 'workflowsFromSameOwner' } }
}
