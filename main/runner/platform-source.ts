import { join } from 'node:path'
import { rememberSecrets } from '../lib/known-secrets.ts'
import { TRUSTED_VARIABLE, trustedOrigins } from '../lib/trusted-addresses.ts'
import { moduleFile } from '../lib/module-entry.ts'
import { SupervisedService } from '../supervisor/supervised-service.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'
import type { RunEvent } from '../../contract/index.ts'
import type { RunnerInputs } from '../manifests/runner-inputs.ts'
import { MAX_DOCUMENTS } from '../manifests/importers/choose-records.ts'
import { storedKeyEnvironment } from '../manifests/connection-keys.ts'
import { loadModels } from '../manifests/experiment.ts'
import { ManifestError } from '../manifests/manifest-error.ts'
import { programRevision } from '../manifests/program-revision.ts'
import { openPlatformSecrets, type PlatformSecrets } from '../supervisor/platform-secrets.ts'
import { createPlatformClient } from './platform-client.ts'

/** A platform that answers for one ingestion profile until it is stopped. */
export interface RunningPlatform {
  url: string
  /** Base address of the backend's routes, where it is not the gateway's. */
  platformUrl?: string | null
  /** Credential of the gateway's routes. */
  apiKey: string | null
  /** Credential of the backend's routes: ingestion, evaluation, usage. */
  operatorToken: string | null
  /** Key of an edge in front of it. */
  edgeKey: string | null
  /** Resolves when the platform works: at once, or after a restart in progress. Throws when it has failed. */
  ready(): Promise<void>
  stop(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where a run's platform comes from. */
export interface PlatformSource {
  readonly kind: 'embedded' | 'external'
  /** `embedded`, or the external address as provenance shows it. */
  readonly gateway: string
  readonly basePort: number | null
  /** Set of `manifests/models.yaml` that an embedded platform starts with; null: the manifest's default, or not ours to choose. */
  readonly modelSet: string | null
  /** Environment of an embedded platform, from which its models take addresses and keys. */
  readonly env?: Environment
  start(profile: string): Promise<RunningPlatform>
  /** Folder that holds everything the platform made for this profile; null when it is not ours to delete. */
  stateDir(profile: string): string | null
}

/** Folder of everything that the embedded platform keeps for an ingestion profile. */
export const embeddedStateDir = (stateRoot: string, profile: string): string => join(stateRoot, 'platform', profile)

const PLATFORM_ENTRY = moduleFile('../../providers/platform/index', import.meta.url)

/** Below the state folder; mode 0600. */
export const SECRETS_FILE = 'secrets.json'

/** Credentials of an embedded platform, as the platform and its callers must know them. */
export interface PlatformKeys extends PlatformSecrets {
  /** Key of its edge; null while the edge is open. */
  edgeKey: string | null
}

/** Variables by which a person sets a credential of the platform instead of the one that the project has. */
const KEY_VARIABLES = {
  operatorToken: 'BACKEND_INTERNAL_API_TOKEN',
  gatewayKey: 'GATEWAY_MASTER_KEY',
  rerankAdapterToken: 'GRAPHENGINE_RERANK_ADAPTER_TOKEN',
  graphEngineKey: 'GRAPHENGINE_API_KEY',
} as const satisfies Record<keyof PlatformSecrets, string>

const valueOf = (env: Environment, name: string): string | null => {
  const value = env[name]?.trim() ?? ''
  return value === '' ? null : value
}

/** The project's secrets, each unless the environment has one of the person's own. Throws `SecretsError`. */
export async function platformKeys(stateRoot: string, env: Environment): Promise<PlatformKeys> {
  const secrets = await openPlatformSecrets(join(stateRoot, SECRETS_FILE))
  const isEdgeClosed = valueOf(env, 'BACKEND_EDGE_AUTH') === 'key-auth'
  const own = (key: keyof PlatformSecrets): string => valueOf(env, KEY_VARIABLES[key]) ?? secrets[key]
  const keys = {
    operatorToken: own('operatorToken'),
    gatewayKey: own('gatewayKey'),
    rerankAdapterToken: own('rerankAdapterToken'),
    graphEngineKey: own('graphEngineKey'),
    edgeKey: isEdgeClosed ? valueOf(env, 'BACKEND_EDGE_API_KEY') : null,
  }
  rememberSecrets(...Object.values(keys))
  return keys
}

interface EmbeddedOptions {
  root: string
  stateRoot: string
  modelSet: string | null
  launcher: ProcessLauncher
  emit: (event: RunEvent) => void
  /** Environment by which it finds the services that read a profile's corpus. */
  readers?: (profile: string) => Promise<Record<string, string>>
  /** Must be free; without it PLATFORM_PORT, else the platform's own default or any. */
  port?: number
  /** The person's own environment: its settings for the platform are used, not replaced. */
  env: Environment
}

/**
 * The platform that comes with the program, as a supervised child. What the person's environment sets for it (address, credentials, edge,
 * corpus) holds; the rest is this project's.
 */
export function embeddedPlatform(options: EmbeddedOptions): PlatformSource {
  const stateDir = (profile: string): string => embeddedStateDir(options.stateRoot, profile)
  return {
    kind: 'embedded',
    gateway: 'embedded',
    basePort: options.port ?? null,
    modelSet: options.modelSet,
    env: options.env,
    stateDir,
    async start(profile) {
      const keys = await platformKeys(options.stateRoot, options.env)
      const { edgeKey } = keys
      const chosen = (name: string, fallback: string): Record<string, string> => ({
        [name]: valueOf(options.env, name) ?? fallback,
      })
      const [readers = {}, revision, modelKeys] = await Promise.all([
        options.readers?.(profile),
        programRevision(),
        keysOfModels(options.root, options.env),
      ])
      const service = new SupervisedService(
        {
          name: 'platform',
          launch: {
            entry: PLATFORM_ENTRY,
            env: {
              ...readers,
              ...modelKeys,
              // The platform sends keys of models only to addresses that the person has allowed.
              [TRUSTED_VARIABLE]: trustedOrigins().join(','),
              ...chosen('PLATFORM_HOST', '127.0.0.1'),
              ...(options.port === undefined ? {} : { PLATFORM_PORT: String(options.port) }),
              RAG_LADDER_MANIFESTS: join(options.root, 'manifests'),
              RAG_LADDER_STATE_DIR: stateDir(profile),
              ...chosen('RAG_INGESTION_CORPUS_ROOT', join(options.root, 'corpus')),
              // What an import has stored can be run. Decision 139.
              ...chosen('RAG_INGESTION_MAX_FILES', String(MAX_DOCUMENTS)),
              ...(revision === null ? {} : { RAG_LADDER_REVISION: revision }),
              RAG_PROFILE: profile,
              BACKEND_INTERNAL_API_TOKEN: keys.operatorToken,
              GATEWAY_MASTER_KEY: keys.gatewayKey,
              GRAPHENGINE_RERANK_ADAPTER_TOKEN: keys.rerankAdapterToken,
              GRAPHENGINE_API_KEY: keys.graphEngineKey,
              ...(options.modelSet === null ? {} : { RAG_MODEL_SET: options.modelSet }),
            },
            // Clients keep the address they were given, so a restart takes the same port.
            restartEnv: (url) => ({ PLATFORM_PORT: new URL(url).port }),
          },
          probe: async (url) => {
            const client = createPlatformClient({ url, apiKey: null, operatorToken: null, edgeKey })
            try {
              return (await client.health()).status === 'healthy'
            } finally {
              await client.close()
            }
          },
        },
        options.launcher,
      )
      service.onState((state) =>
        options.emit({
          type: 'service.changed',
          service: 'platform',
          state: state.name,
          detail: state.name === 'failed' ? state.reason : null,
        }),
      )
      const url = await service.start()
      const { gatewayKey: apiKey, operatorToken } = keys
      const [ready, stop] = [() => service.whenReady(), () => service.stop()]
      return { url, apiKey, operatorToken, edgeKey, ready, stop }
    },
  }
}

/** Variables with the stored keys of the project's connections. The platform itself reports manifests that cannot be read. */
async function keysOfModels(root: string, env: Environment): Promise<Record<string, string>> {
  const loaded = await loadModels(root).catch((error: unknown) => {
    if (error instanceof ManifestError) return null
    throw error
  })
  return loaded === null ? {} : storedKeyEnvironment(loaded.connections, env)
}

/** The port that an address is reached at, also when it is the scheme's own. */
function portOf(address: string): number | null {
  if (!URL.canParse(address)) return null
  const { port, protocol } = new URL(address)
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/** A platform that runs elsewhere: this program neither starts nor stops it. The gateway's key replaces a missing token. */
export function externalPlatform(
  url: string,
  {
    gatewayApiKey,
    platformUrl,
    platformToken,
    edgeApiKey,
  }: Pick<RunnerInputs, 'gatewayApiKey' | 'platformUrl' | 'platformToken' | 'edgeApiKey'>,
): PlatformSource {
  return {
    kind: 'external',
    gateway: url,
    basePort: portOf(url),
    modelSet: null,
    start: async () => ({
      url,
      platformUrl,
      apiKey: gatewayApiKey,
      operatorToken: platformToken ?? gatewayApiKey,
      edgeKey: edgeApiKey,
      ready: async () => undefined,
      stop: async () => undefined,
    }),
    stateDir: () => null,
  }
}
