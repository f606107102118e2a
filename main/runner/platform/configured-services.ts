import { EXTERNAL_SERVICES, type ExternalService } from '../../../contract/manifests/connections.ts'
import { PLATFORM_GATEWAY } from '../../../contract/manifests/evaluation.ts'
import { addressProblem } from '../../../contract/service-address.ts'
import type { VariableName } from '../../../contract/settings/variables.ts'
import { databaseAddressProblem } from '../../evidence/postgres/database-address.ts'
import { apiUrl, evaluateUrl, modelsUrl } from '../../lib/services/gateway-client.ts'
import { findProblem, type Asked, type ServiceProblem } from '../prepare/preflight.ts'

/** A service that a variable of the environment names, and what is wrong with it; null where it answers as it should. */
interface CheckedService {
  what: string
  found: ServiceProblem | null
}

type Env = Readonly<Record<string, string | undefined>>

interface Service {
  method?: 'POST'
  /** The address that is asked, from the one in the variable. */
  route: (address: string) => string
  /** Variable of its key; absent for a route that is open. */
  key?: VariableName
  /** A platform's own routes may have an edge in front of them. */
  hasEdge?: true
  needsRoute?: true
  /** A route of health: any other answer than 2xx is a problem. */
  isHealth?: true
}

const health = (path = '/health'): Service => ({
  route: (address) => apiUrl(address, path),
  isHealth: true,
})

type ExternalVariable = (typeof EXTERNAL_SERVICES)[ExternalService]['variable']

const LABELS = new Map<string, string>(Object.values(EXTERNAL_SERVICES).map(({ variable, label }) => [variable, label]))

/** Returns what messages call the service of a variable. */
const labelOf = (variable: string): string => LABELS.get(variable) ?? 'judges'

/** Lists what each variable that holds the address of a service is asked. Only routes that make no model work. */
const SERVICES = {
  MATRIX_GATEWAY_URL: { route: modelsUrl, key: 'MATRIX_GATEWAY_API_KEY', hasEdge: true },
  MATRIX_PLATFORM_URL: {
    route: (address) => apiUrl(address, '/api/rag/ingestions?limit=1'),
    key: 'MATRIX_PLATFORM_TOKEN',
    hasEdge: true,
  },
  MATRIX_EVALUATOR_URL: {
    method: 'POST',
    route: evaluateUrl,
    key: 'MATRIX_EVALUATOR_API_KEY',
    needsRoute: true,
  },
  JUDGE_ENDPOINT: { route: modelsUrl, key: 'JUDGE_API_KEY' },
  RAG_PLUGIN_URL: { route: (address) => address },
  GRAPHENGINE_URL: health(),
  WORKFLOW_URL: health('/healthz'),
  RERANKER_URL: health(),
  RAY_URL: {
    route: (address) => apiUrl(address, '/api/version'),
    key: 'RAY_AUTH_TOKEN',
    needsRoute: true,
  },
  SEARXNG_URL: health('/healthz'),
  // It answers requests without a signature with an error, which shows that it runs.
  S3_ENDPOINT: { route: (address) => address },
  VECTOR_STORE_URL: health('/v1/.well-known/ready'),
  COMFYUI_URL: health('/system_stats'),
  DOCCONV_ENDPOINT: health(),
  DOCCONV_ADAPTER_ENDPOINT: health(),
  STT_ENDPOINT: health(),
  TTS_ENDPOINT: health(),
} as const satisfies Record<ExternalVariable | 'JUDGE_ENDPOINT', Service>

/** Databases that variables name, with their passwords. */
const DATABASES = {
  MATRIX_EVIDENCE_URL: 'rows of runs',
  DATABASE_URL: 'records of the platform',
} as const satisfies Partial<Record<VariableName, string>>

/** Asks every service that the environment names once, all at the same time. */
export async function checkConfiguredServices(env: Env, signal: AbortSignal): Promise<CheckedService[]> {
  const named = Object.entries<Service>(SERVICES).flatMap(([variable, service]) => {
    const address = env[variable] ?? ''
    return address === '' || address === PLATFORM_GATEWAY ? [] : [{ variable, service, address }]
  })
  const services = named.map(async ({ variable, service, address }): Promise<CheckedService> => {
    const malformed = addressProblem(address)
    if (malformed !== null)
      return {
        what: `${labelOf(variable)} · ${variable}`,
        found: { problem: 'is not a usable address', remedy: malformed },
      }
    const asked = askedOf(variable, service, address, env)
    return { what: `${labelOf(variable)} · ${asked.method} ${asked.url}`, found: await findProblem(asked, signal) }
  })
  const databases = Object.entries(DATABASES).flatMap(([variable, name]) => {
    const address = env[variable] ?? ''
    return address === '' ? [] : [checkDatabase(variable, name, address)]
  })
  return Promise.all([...services, ...databases])
}

/** Connects to a database and writes nothing. */
async function checkDatabase(variable: string, name: string, address: string): Promise<CheckedService> {
  const malformed = databaseAddressProblem(address, { password: 'allowed' })
  if (malformed !== null)
    return { what: `${name} · ${variable}`, found: { problem: 'is not a usable address', remedy: malformed } }
  const { databaseStoreAt } = await import('../../evidence/postgres/database-store.ts')
  const store = databaseStoreAt(address)
  const outcome = await store.connects()
  const what = `${name} · ${store.database}`
  if (outcome.ok) return { what, found: null }
  return {
    what,
    found: { problem: outcome.refusal.message, remedy: `correct ${variable}, or ${outcome.refusal.remedy}` },
  }
}

function askedOf(variable: string, service: Service, address: string, env: Env): Asked {
  const { method = 'GET', route, key, hasEdge = false, needsRoute = false, isHealth = false } = service
  const valueOf = (name: VariableName): string | null =>
    env[name] === undefined || env[name] === '' ? null : env[name]
  return {
    name: labelOf(variable),
    method,
    url: route(address),
    credentials: {
      apiKey: key === undefined ? null : valueOf(key),
      edgeKey: hasEdge ? valueOf('MATRIX_EDGE_API_KEY') : null,
    },
    addressVariable: variable,
    keyVariable: key === undefined ? null : hasEdge ? `${key} (and MATRIX_EDGE_API_KEY for an edge)` : key,
    needsRoute,
    isHealth,
  }
}
