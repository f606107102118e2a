import { z } from 'zod'

/** Cache controls of a request, as far as this cache knows them. Times in seconds. */
export const CacheWishes = z.looseObject({
  /** Asks for the cache where it is off. */
  'use-cache': z.boolean().default(false),
  'no-cache': z.boolean().default(false),
  'no-store': z.boolean().default(false),
  /** Limits how long this answer may be kept. */
  ttl: z.number().min(0).max(86_400).optional(),
  /** Limits how old a kept answer may be. */
  's-maxage': z.number().min(0).optional(),
  namespace: z.string().max(256).default(''),
})
export type CacheWishes = z.infer<typeof CacheWishes>

export interface ResponseCacheOptions {
  ttlMs: number
  maxEntries: number
  maxBytes: number
  now?: () => number
}

/** Answers by key, newest kept longest within both bounds. Bodies are kept as JSON text, so that no caller can change another's. */
export interface ResponseCache {
  /** Returns true when this request is answered through the cache: it is on, or the request asks for it by `use-cache` or `ttl`. */
  wanted(wishes: CacheWishes): boolean
  get(key: string, wishes: CacheWishes): string | null
  put(key: string, body: string, wishes: CacheWishes): void
}

interface Entry {
  body: string
  storedAt: number
  expiresAt: number
}

/** Sets how long an answer is kept whose request asks for the cache without a time. */
const ASKED_TTL_MS = 600_000

/** An empty cache; with a `ttlMs` of 0 it is off: only requests that ask for it read and keep answers. */
export function createResponseCache(options: ResponseCacheOptions): ResponseCache {
  const now = options.now ?? Date.now
  // Insertion order is age: the first key is the oldest.
  const entries = new Map<string, Entry>()
  let bytes = 0

  const drop = (key: string) => {
    bytes -= entries.get(key)?.body.length ?? 0
    entries.delete(key)
  }

  return {
    wanted: (wishes) =>
      !(wishes['no-cache'] && wishes['no-store']) &&
      (options.ttlMs > 0 || wishes['use-cache'] || wishes.ttl !== undefined),
    get(key, wishes) {
      const entry = entries.get(key)
      if (entry === undefined || wishes['no-cache']) return null
      if (entry.expiresAt <= now()) {
        drop(key)
        return null
      }
      const maxAge = wishes['s-maxage']
      return maxAge !== undefined && now() - entry.storedAt > maxAge * 1000 ? null : entry.body
    },
    put(key, body, wishes) {
      const defaultMs = wishes['use-cache'] && options.ttlMs === 0 ? ASKED_TTL_MS : options.ttlMs
      const ttlMs = wishes.ttl === undefined ? defaultMs : wishes.ttl * 1000
      if (wishes['no-store'] || ttlMs === 0 || body.length > options.maxBytes) return
      drop(key)
      entries.set(key, { body, storedAt: now(), expiresAt: now() + ttlMs })
      bytes += body.length
      for (const oldest of entries.keys()) {
        if (entries.size <= options.maxEntries && bytes <= options.maxBytes) break
        drop(oldest)
      }
    },
  }
}
