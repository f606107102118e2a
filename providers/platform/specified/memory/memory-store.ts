import { hash, randomUUID } from 'node:crypto'
import type { EnvReader } from '../../../kit/env-reader.ts'
import type { Database, Queries } from '../../stores/database/database.ts'

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
  readonly #database: Database
  readonly #settings: MemorySettings

  constructor(database: Database, settings: MemorySettings) {
    this.#database = database
    this.#settings = settings
  }

  /** Adds a fact, unless the user has one of the same words, or as many as it may have. */
  async addFact(user: string, text: string): Promise<AddOutcome> {
    return this.#database.transaction((tx) => this.addFactIn(tx, user, text, null))
  }

  /** As `addFact`, in the transaction of a caller, with the session that it was taken from. */
  async addFactIn(tx: Queries, user: string, text: string, sessionId: string | null): Promise<AddOutcome> {
    const words = wordsOf(text)
    const known = await tx.get<FactRow>('SELECT * FROM memory_facts WHERE subject = ? AND words = ?', [user, words])
    if (known !== null) return { outcome: 'known', fact: toFact(known) }
    if ((await countFacts(tx, user)) >= this.#settings.maxFacts) return { outcome: 'full' }
    const row = await tx.get<FactRow>(
      `INSERT INTO memory_facts (id, subject, text, words, session_id, created_ms) VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
      [randomUUID(), user, text, words, sessionId, Date.now()],
    )
    return { outcome: 'added', fact: toFact(row!) }
  }

  async factCount(user: string): Promise<number> {
    return countFacts(this.#database, user)
  }

  /** Newest first. */
  async facts(user: string, limit: number, offset: number): Promise<Fact[]> {
    const rows = await this.#database.all<FactRow>(
      'SELECT * FROM memory_facts WHERE subject = ? ORDER BY rowid DESC LIMIT ? OFFSET ?',
      [user, limit, offset],
    )
    return rows.map(toFact)
  }

  async fact(id: string): Promise<Fact | null> {
    const row = await this.#database.get<FactRow>('SELECT * FROM memory_facts WHERE id = ?', [id])
    return row === null ? null : toFact(row)
  }

  async removeFact(id: string, owner: string | null): Promise<boolean> {
    return this.#remove('memory_facts', id, owner)
  }

  async addSession(user: string, title: string | null): Promise<Session> {
    const row = { id: randomUUID(), subject: user, title, created_ms: Date.now() }
    await this.#database.run(
      'INSERT INTO memory_sessions (id, subject, title, created_ms) VALUES (@id, @subject, @title, @created_ms)',
      row,
    )
    return toSession(row)
  }

  async session(id: string, owner: string | null): Promise<Session | null> {
    const row = await this.#database.get<SessionRow>(
      'SELECT * FROM memory_sessions WHERE id = @id AND (CAST(@owner AS TEXT) IS NULL OR subject = @owner)',
      { id, owner },
    )
    return row === null ? null : toSession(row)
  }

  /** Newest first. */
  async sessions(user: string, limit: number, offset: number): Promise<Session[]> {
    const rows = await this.#database.all<SessionRow>(
      'SELECT * FROM memory_sessions WHERE subject = ? ORDER BY rowid DESC LIMIT ? OFFSET ?',
      [user, limit, offset],
    )
    return rows.map(toSession)
  }

  /** Removes a session with its messages; facts that were taken from it stay. */
  async removeSession(id: string, owner: string | null): Promise<boolean> {
    return this.#remove('memory_sessions', id, owner)
  }

  /** Null when the session is gone. */
  async addMessage(sessionId: string, role: Message['role'], content: string): Promise<Message | null> {
    return this.#database.transaction(async (tx) => {
      if ((await tx.get('SELECT 1 FROM memory_sessions WHERE id = ?', [sessionId])) === null) return null
      const row = await tx.get<MessageRow>(
        'INSERT INTO memory_messages (session_id, role, content, created_ms) VALUES (?, ?, ?, ?) RETURNING *',
        [sessionId, role, content, Date.now()],
      )
      return toMessage(row!)
    })
  }

  async messages(sessionId: string): Promise<Message[]> {
    const rows = await this.#database.all<MessageRow>(
      'SELECT * FROM memory_messages WHERE session_id = ? ORDER BY seq',
      [sessionId],
    )
    return rows.map(toMessage)
  }

  /** Returns what the user wrote and no consolidation has read, oldest first; of one session, or of all where that is null. */
  async unreadMessages(user: string, sessionId: string | null): Promise<Message[]> {
    const rows = await this.#database.all<MessageRow>(
      `SELECT message.* FROM memory_messages AS message JOIN memory_sessions AS session ON session.id = message.session_id
       WHERE session.subject = @user AND (CAST(@session AS TEXT) IS NULL OR session.id = @session) AND message.role = 'user'
       AND message.is_read = 0 ORDER BY message.seq`,
      { user, session: sessionId },
    )
    return rows.map(toMessage)
  }

  async markRead(tx: Queries, messages: readonly Message[]): Promise<void> {
    for (const { seq } of messages) await tx.run('UPDATE memory_messages SET is_read = 1 WHERE seq = ?', [seq])
  }

  /** All facts of a user with their vectors of that embedding space. */
  async vectors(user: string, space: string): Promise<FactVector[]> {
    const rows = await this.#database.all<FactRow>('SELECT * FROM memory_facts WHERE subject = ? ORDER BY rowid', [
      user,
    ])
    return rows.map(({ id, text, space: itsSpace, vector }) => ({
      id,
      text,
      vector: itsSpace === space && vector !== null ? new Float32Array(new Uint8Array(vector).buffer) : null,
    }))
  }

  async setVector(id: string, space: string, vector: Float32Array): Promise<void> {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    await this.#database.run('UPDATE memory_facts SET space = ?, vector = ? WHERE id = ?', [space, bytes, id])
  }

  async #remove(table: 'memory_facts' | 'memory_sessions', id: string, owner: string | null): Promise<boolean> {
    const changes = await this.#database.run(
      `DELETE FROM ${table} WHERE id = @id AND (CAST(@owner AS TEXT) IS NULL OR subject = @owner)`,
      { id, owner },
    )
    return changes === 1
  }
}

async function countFacts(queries: Queries, user: string): Promise<number> {
  const row = await queries.get<{ facts: number }>('SELECT count(*) AS facts FROM memory_facts WHERE subject = ?', [
    user,
  ])
  return row!.facts
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

/** PostgreSQL indexes no text of more than about 2,700 bytes. */
const MOST_INDEXED_BYTES = 1000

/** Letters and digits in lower case: two facts of the same words are one. Of many words their digest. */
function wordsOf(text: string): string {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')
  if (Buffer.byteLength(words) <= MOST_INDEXED_BYTES) return words
  return `sha256:${hash('sha256', words)}`
}

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
