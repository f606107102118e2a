import { join, resolve } from 'node:path'
import { createEnvReader } from '../kit/env-reader.ts'
import { readBoundarySettings, type ServiceBoundarySettings } from '../kit/service-boundary-settings.ts'
import type { DeclaredPort } from '../kit/server.ts'
import { ServiceConfigError } from '../kit/service-config-error.ts'

/** Which backend of the platform's text-to-speech layer this service replaces: it decides default model and error bodies. */
const TTS_SOURCES = [
  'ttsbasic-container-cpu',
  'ttsbasic-container-gpu',
  'ttsvoice-container-gpu',
  'ttsvoice-localhost',
  'disabled',
] as const
export type TtsSource = (typeof TTS_SOURCES)[number]

/** Everything the service needs to start, validated. */
export interface TtsConfig {
  source: TtsSource
  host: string
  port: DeclaredPort
  logLevel: string
  boundary: ServiceBoundarySettings
  /** Holds the registered voices. */
  stateDir: string
}

/** Reads the environment. Throws `ServiceConfigError` with all problems at once. */
export function loadTtsConfig(env: Readonly<Record<string, string | undefined>>): TtsConfig {
  const reader = createEnvReader(env)
  const declared = reader.optional('PORT')
  const config: TtsConfig = {
    source: reader.oneOf('TTS_PROVIDER_SOURCE', TTS_SOURCES),
    host: reader.text('TTS_HOST'),
    port: { port: reader.integer('PORT', { min: 0, max: 65_535 }), isDefault: declared === null },
    logLevel: reader.oneOf('TTS_LOG_LEVEL', ['error', 'warn', 'info', 'debug', 'silent']),
    boundary: readBoundarySettings(
      reader,
      'TTS',
      // The platform's text-to-speech layer sends no credential; a token that is set is also required.
      reader.optional('TTS_API_TOKEN') === null ? 'disabled' : 'required',
    ),
    stateDir: resolve(reader.text('RAG_LADDER_STATE_DIR', join('.rag-ladder', 'tts'))),
  }
  if (reader.problems.length > 0) throw new ServiceConfigError('text to speech', reader.problems)
  return config
}
