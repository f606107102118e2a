import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainNumber } from '../../core/plain-number.ts'
import { STATE_FOLDER } from '../manifests/project/project-folder.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'
import { installedServices, type ServiceDefinition } from './services/service-definitions.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Describes where an engine works and who may talk to it. */
export interface EngineConfig {
  /** Project folder with `manifests/` and `corpus/`. */
  root: string
  resultsDir: string
  /** Holds what the engine keeps for itself: journals, settings, index, the embedded platform. */
  stateDir: string
  /** 0 takes a free one. */
  port: number
  /** Credential of the host that started the engine; sessions of browsers are signed with it too. */
  token: string
  /** Built pages; they need not be there. */
  rendererDir: string
  /** The desktop app's own origin, which only counts together with the token. */
  appOrigin: string | null
  version: string
  /** Holds what the runner reads: addresses, keys, judges. */
  env: Environment
  /** Of the platform. */
  launcher: ProcessLauncher
  /** Of the services beside the platform. */
  serviceLauncher: ProcessLauncher
  services: readonly ServiceDefinition[]
}

/** The environment lacks a value that an engine needs. */
export class EngineConfigError extends Error {
  override readonly name = 'EngineConfigError'
}

/** Holds the launch token; taken out of the environment before any child is started. */
export const TOKEN_VARIABLE = 'RAG_LADDER_ENGINE_TOKEN'

const PACKAGE_ROOT = fileURLToPath(new URL('../../', import.meta.url))

function versionOfPackage(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }
  return version
}

/** The engine's settings as its host put them into the environment. Throws `EngineConfigError`. */
export function readEngineConfig(
  env: Environment,
  launcher: ProcessLauncher,
  serviceLauncher: ProcessLauncher = launcher,
): EngineConfig {
  const token = env[TOKEN_VARIABLE] ?? ''
  if (!/^[A-Za-z0-9_-]{32,256}$/.test(token))
    throw new EngineConfigError(`${TOKEN_VARIABLE}: 32 to 256 characters of base64url are required`)
  const portText = env['RAG_LADDER_ENGINE_PORT'] ?? ''
  const port = portText === '' ? 0 : (plainNumber(portText, 'whole') ?? -1)
  if (port < 0 || port > 65_535)
    throw new EngineConfigError(`RAG_LADDER_ENGINE_PORT: expected a whole number from 0 to 65535, got ${portText}`)
  const root = resolve(env['RAG_LADDER_PROJECT'] ?? '.')
  const { [TOKEN_VARIABLE]: _token, ...rest } = env
  return {
    root,
    resultsDir: resolve(root, env['RAG_LADDER_RESULTS'] ?? 'results'),
    stateDir: join(root, STATE_FOLDER),
    port,
    token,
    rendererDir: resolve(env['RAG_LADDER_RENDERER_DIR'] ?? join(PACKAGE_ROOT, 'out/renderer')),
    appOrigin: env['RAG_LADDER_APP_ORIGIN'] ?? null,
    version: versionOfPackage(),
    env: rest,
    launcher,
    serviceLauncher,
    services: installedServices(),
  }
}
