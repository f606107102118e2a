import type { EnvReader } from '../../../kit/env-reader.ts'

export interface PostgresSettings {
  /** With the password: never part of a log or an error. */
  url: string
  /** Connections that stay open, and most of them. */
  poolMin: number
  poolMax: number
}

/** Reads `DATABASE_URL` and `BACKEND_DB_POOL_*`; null keeps the records in a file of the state folder. */
export function readDatabaseSettings(reader: EnvReader): PostgresSettings | null {
  const url = reader.optional('DATABASE_URL')
  const poolMin = reader.integer('BACKEND_DB_POOL_MIN', { min: 0, max: 1000 })
  const poolMax = reader.integer('BACKEND_DB_POOL_MAX', { min: 1, max: 1000 })
  if (poolMin > poolMax)
    reader.problems.push(`BACKEND_DB_POOL_MAX: ${poolMax} must not be less than BACKEND_DB_POOL_MIN (${poolMin})`)
  if (url === null) return null
  if (!URL.canParse(url) || !/^postgres(?:ql)?:$/.test(new URL(url).protocol) || new URL(url).pathname.length < 2)
    reader.problems.push('DATABASE_URL: invalid value: expected postgres://user:password@host:port/database')
  // The random one of a state folder would differ on another machine, whose jobs this one would then refuse and fail.
  if (reader.optional('TASK_SIGNING_SECRET') === null)
    reader.problems.push('TASK_SIGNING_SECRET: required with DATABASE_URL, the same for every process that shares it')
  return { url, poolMin, poolMax }
}
