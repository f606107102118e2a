import { randomUUID } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { EnvReader } from '../../kit/env-reader.ts'

export interface MemorySettings {
  /** Most facts of one user. */
  maxFacts: number
}

/** Reads `MEMORY_*`. */
export function readMemorySettings(reader: EnvReader): MemorySettings {
  return { maxFacts: reader.integer('MEMORY_MAX_FACTS', { min: 1, max: 100_000 }) }
}

/** One statement about a user. Its id is also the id of its vector. */
export interface Fact {
  id: string
  user_id: string
  text: string
  /** Session that it was taken from; null for one that a caller stored. */
  session_id: string | null
  created_at: string
}

export interface Session {
  id: string
  user_id: string
  title: string | null
  created_at: string
}

export interface Message {
  seq: number
  session_id: string
  role: 'user' | 'assistant'
  content: string
  created_at: string
}

export type AddOutcome = { outcome: 'added' | 'known'; fact: Fact } | { outcome: 'full' }

interface FactRow {
  id: string
  subject: string
  text: string
  session_id: string | null
  created_ms: number
  space: string | null
  vector: Buffer | null
}

/** A fact with its vector, where it has one of the current embedding space. */
export interface FactVector {
  id: string
  text: string
  vector: Float32Array | null
}

/**
 * Facts, sessions and messages by user, in the platform's database. `owner` null reads those of every user; a method that is given an owner
 * treats records of other users as unknown.
 */
export class MemoryStore {
  readonly #database: Database.Database
  readonly #settings: MemorySettings

  constructor(database: Database.Database, settings: MemorySettings) {
    this.#database = database
    this.#settings = settings
  }

  /** Adds a fact, unless the user has one of the same words, or as many as it may have. */
  addFact(user: string, text: string, sessionId: string | null = null): AddOutcome {
    return this.#database
      .transaction((): AddOutcome => {
        const known = this.#database
          .prepare<[string, string], FactRow>('SELECT * FROM memory_facts WHERE subject = ? AND words = ?')
          .get(user, wordsOf(text))
        if (known !== undefined) return { outcome: 'known', fact: toFact(known) }
        if (this.factCount(user) >= this.#settings.maxFacts) return { outcome: 'full' }
        const row = this.#database
          .prepare<unknown[], FactRow>(
            `INSERT INTO memory_facts (id, subject, text, words, session_id, created_ms) VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
          )
          .get(randomUUID(), user, text, wordsOf(text), sessionId, Date.now())!
        return { outcome: 'added', fact: toFact(row) }
      })
      .immediate()
  }

  factCount(user: string): number {
    return this.#database
      .prepare<[string], number>('SELECT count(*) FROM memory_facts WHERE subject = ?')
      .pluck()
      .get(user)!
  }

  /** Newest first. */
  facts(user: string, limit: number, offset: number): Fact[] {
    return this.#database
      .prepare<[string, number, number], FactRow>(
        'SELECT * FROM memory_facts WHERE subject = ? ORDER BY rowid DESC LIMIT ? OFFSET ?',
      )
      .all(user, limit, offset)
      .map(toFact)
  }

  fact(id: string): Fact | null {
    const row = this.#database.prepare<[string], FactRow>('SELECT * FROM memory_facts WHERE id = ?').get(id)
    return row === undefined ? null : toFact(row)
  }

  removeFact(id: string, owner: string | null): boolean {
    return this.#remove('memory_facts', id, owner)
  }

  addSession(user: string, title: string | null): Session {
    const id = randomUUID()
    this.#database
      .prepare('INSERT INTO memory_sessions (id, subject, title, created_ms) VALUES (?, ?, ?, ?)')
      .run(id, user, title, Date.now())
    return this.session(id, null)!
  }

  session(id: string, owner: string | null): Session | null {
    const row = this.#database
      .prepare<{ id: string; owner: string | null }, SessionRow>(
        'SELECT * FROM memory_sessions WHERE id = @id AND (@owner IS NULL OR subject = @owner)',
      )
      .get({ id, owner })
    return row === undefined ? null : toSession(row)
  }

  /** Newest first. */
  sessions(user: string, limit: number, offset: number): Session[] {
    return this.#database
      .prepare<[string, number, number], SessionRow>(
        'SELECT * FROM memory_sessions WHERE subject = ? ORDER BY rowid DESC LIMIT ? OFFSET ?',
      )
      .all(user, limit, offset)
      .map(toSession)
  }

  /** Removes a session with its messages; facts that were taken from it stay. */
  removeSession(id: string, owner: string | null): boolean {
    return this.#remove('memory_sessions', id, owner)
  }

  addMessage(sessionId: string, role: Message['role'], content: string): Message {
    const row = this.#database
      .prepare<unknown[], MessageRow>(
        'INSERT INTO memory_messages (session_id, role, content, created_ms) VALUES (?, ?, ?, ?) RETURNING *',
      )
      .get(sessionId, role, content, Date.now())!
    return toMessage(row)
  }

  messages(sessionId: string): Message[] {
    return this.#database
      .prepare<[string], MessageRow>('SELECT * FROM memory_messages WHERE session_id = ? ORDER BY seq')
      .all(sessionId)
      .map(toMessage)
  }

  /** What the user wrote and no consolidation has read, oldest first; of one session, or of all where that is null. */
  unreadMessages(user: string, sessionId: string | null): Message[] {
    return this.#database
      .prepare<{ user: string; session: string | null }, MessageRow>(
        `SELECT message.* FROM memory_messages AS message JOIN memory_sessions AS session ON session.id = message.session_id
         WHERE session.subject = @user AND (@session IS NULL OR session.id = @session) AND message.role = 'user'
         AND message.is_read = 0 ORDER BY message.seq`,
      )
      .all({ user, session: sessionId })
      .map(toMessage)
  }

  markRead(messages: readonly Message[]): void {
    const mark = this.#database.prepare('UPDATE memory_messages SET is_read = 1 WHERE seq = ?')
    for (const { seq } of messages) mark.run(seq)
  }

  /** All facts of a user with their vectors of that embedding space. */
  vectors(user: string, space: string): FactVector[] {
    return this.#database
      .prepare<[string], FactRow>('SELECT * FROM memory_facts WHERE subject = ? ORDER BY rowid')
      .all(user)
      .map(({ id, text, space: itsSpace, vector }) => ({
        id,
        text,
        vector: itsSpace === space && vector !== null ? new Float32Array(new Uint8Array(vector).buffer) : null,
      }))
  }

  setVector(id: string, space: string, vector: Float32Array): void {
    this.#database
      .prepare('UPDATE memory_facts SET space = ?, vector = ? WHERE id = ?')
      .run(space, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength), id)
  }

  #remove(table: 'memory_facts' | 'memory_sessions', id: string, owner: string | null): boolean {
    return (
      this.#database
        .prepare(`DELETE FROM ${table} WHERE id = @id AND (@owner IS NULL OR subject = @owner)`)
        .run({ id, owner }).changes === 1
    )
  }
}

interface SessionRow {
  id: string
  subject: string
  title: string | null
  created_ms: number
}

interface MessageRow {
  seq: number
  session_id: string
  role: Message['role']
  content: string
  created_ms: number
}

/** Letters and digits in lower case: two facts of the same words are one. */
const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')

const isoTime = (ms: number): string => new Date(ms).toISOString()

const toFact = ({ id, subject, text, session_id, created_ms }: FactRow): Fact => ({
  id,
  user_id: subject,
  text,
  session_id,
  created_at: isoTime(created_ms),
})

const toSession = ({ id, subject, title, created_ms }: SessionRow): Session => ({
  id,
  user_id: subject,
  title,
  created_at: isoTime(created_ms),
})

const toMessage = ({ seq, session_id, role, content, created_ms }: MessageRow): Message => ({
  seq,
  session_id,
  role,
  content,
  created_at: isoTime(created_ms),
})
