import process from 'node:process'
import { Agent, EnvHttpProxyAgent, fetch, type Dispatcher, type RequestInit, type Response } from 'undici'

// One pool of connections per origin for the whole process. Each call has a time limit of its own, so that the pools have none.
const SETTINGS = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 }

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\]|\[::\])$/i

let direct: Agent | undefined
let outside: Dispatcher | undefined

/** The connections for an address: through the proxy that the environment names, but never for this machine itself. */
export function connectionsTo({ hostname }: URL): Dispatcher {
  direct ??= new Agent(SETTINGS)
  if (LOOPBACK.test(hostname)) return direct
  outside ??= hasProxy(process.env) ? new EnvHttpProxyAgent(SETTINGS) : direct
  return outside
}

/** `fetch` over these connections, for what is larger than an answer: files of a hub. */
export const fetchFrom = (address: URL, init: RequestInit): Promise<Response> =>
  fetch(address, { ...init, dispatcher: connectionsTo(address) })

const hasProxy = (env: NodeJS.ProcessEnv): boolean =>
  ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'].some((name) => (env[name] ?? '') !== '')
