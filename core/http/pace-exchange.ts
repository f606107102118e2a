// Processes of a project share what they know of a service that limits its calls: each writes its newest slowdown into a file of its own, so that no two
// write one file, and reads those of the others. A file is written whole beside its place and moved in.
import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, jsonIn } from '../json.ts'

/** A refusal for too many calls: how long the service is to be left alone, and how many calls at a time it gets after that. */
export interface Slowdown {
  pauseMs: number
  places: number
}

export interface PaceExchange {
  report(slowdown: Slowdown): void
  /** Slowdowns that other processes have reported since the last call. */
  news(): Slowdown[]
}

/** Folder of the files, beside the records of models. */
export const PACES_FOLDER = 'paces'

/** A folder is read once in this time at most. */
const READ_EACH_MS = 20
/** Slowdowns that ended longer ago than this say nothing about the service of now. */
const FRESH_MS = 10_000
const KEPT_MS = 10 * 60_000

/** The exchange of this process about one service. What cannot be written or read slows no process down. */
export function paceExchange(folder: string, origin: string, now: () => number = Date.now): PaceExchange {
  const service = hash('sha256', origin).slice(0, 16)
  const own = `${service}.${randomUUID()}.json`
  const seen = new Map<string, number>()
  let readAtMs = 0

  return {
    report({ pauseMs, places }) {
      const aside = join(folder, `${own}.new`)
      try {
        mkdirSync(folder, { recursive: true })
        writeFileSync(aside, JSON.stringify({ service: origin, until: now() + pauseMs, places }))
        renameSync(aside, join(folder, own))
      } catch {
        // The others find the limit by themselves.
      }
    },
    news() {
      const nowMs = now()
      if (nowMs - readAtMs < READ_EACH_MS) return []
      readAtMs = nowMs
      return namesIn(folder).flatMap((name) => {
        if (name === own || !name.startsWith(`${service}.`) || !name.endsWith('.json')) return []
        const found = readSlowdown(join(folder, name))
        if (found === null || seen.get(name) === found.until) return []
        seen.set(name, found.until)
        const pauseMs = found.until - nowMs
        if (pauseMs < -KEPT_MS) discard(join(folder, name))
        return pauseMs < -FRESH_MS ? [] : [{ pauseMs: Math.max(0, pauseMs), places: found.places }]
      })
    },
  }
}

/** The newest slowdown that each process has reported in a folder: the service, where the file names it, and when it may be called again. */
export const pausesIn = (folder: string): { service: string | null; until: number }[] =>
  namesIn(folder).flatMap((name) => (name.endsWith('.json') ? (readSlowdown(join(folder, name)) ?? []) : []))

/** Time until every service that processes report in a folder may be called again; 0 where none is to be left alone. */
export const longestPauseMs = (folder: string, nowMs = Date.now()): number =>
  Math.max(0, ...pausesIn(folder).map(({ until }) => until - nowMs))

/** A service that has just refused calls as too many ends a pause at most this long ago. */
const JUST_MS = 2000

/** The words for a service whose calls wait, or have just waited, for a pause that ends after `sinceMs`; null where none does. */
export function waitedFor(folder: string, sinceMs: number, nowMs = Date.now()): string | null {
  const waits = pausesIn(folder).find(({ until }) => until > Math.max(sinceMs, nowMs - JUST_MS))
  if (waits === undefined) return null
  return waits.service === null ? 'a service' : `the service at ${waits.service}`
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readSlowdown(file: string): { service: string | null; until: number; places: number } | null {
  try {
    const value = jsonIn(readFileSync(file, 'utf8'))
    if (!isRecord(value)) return null
    const { service, until, places } = value
    if (!Number.isFinite(until) || !Number.isInteger(places)) return null
    return { service: typeof service === 'string' ? service : null, until: Number(until), places: Number(places) }
  } catch {
    return null
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Another process has removed it.
  }
}
