import { pino } from 'pino'
import type { Logger } from 'pino'

export type { Logger } from 'pino'

const SECRET_FIELDS = [
  'authorization',
  'apikey',
  '["x-api-key"]',
  '["proxy-authorization"]',
  'cookie',
  'api_key',
  'token',
]
const PLACES = ['', 'headers.', 'req.headers.', '*.', '*.headers.']

/** JSON lines on stderr, so that stdout stays free for the service's own words; credentials are replaced wherever they appear. */
export function createLogger(name: string, level: string, destination: { write(line: string): void } = stderr): Logger {
  return pino({ name, level, redact: { paths: redactedPaths(), censor: '[redacted]' } }, destination)
}

const stderr = { write: (line: string) => void process.stderr.write(line) }

function redactedPaths(): string[] {
  return PLACES.flatMap((place) => SECRET_FIELDS.map((field) => joinPath(place, field)))
}

function joinPath(place: string, field: string): string {
  return field.startsWith('[') ? `${place.replace(/\.$/, '')}${field}` : `${place}${field}`
}
