// Entry of a reading thread: answers queries on a connection of its own.
import { parentPort, workerData } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { failureOf, type ThreadMessage, type ThreadRequest, type ThreadSettings } from './index-threads.ts'
import { openForReading } from '../open-database.ts'
import { answerQuery, newContext, type QueryName } from '../queries/answer-query.ts'

const { file, folders } = workerData as ThreadSettings
const port = parentPort!
let context = newContext(folders)
let db: Database.Database | null = null

function release(): void {
  db?.close()
  db = null
  // The next database counts its revisions from the start.
  context = newContext(folders)
}

function answer({ method, input }: ThreadRequest): unknown {
  if (method === 'warm') return null
  if (method === 'release' || method === 'close') {
    release()
    return null
  }
  db ??= openForReading(file)
  return answerQuery(db, method as QueryName, input, context)
}

port.on('message', (request: ThreadRequest) => {
  let message: ThreadMessage
  try {
    message = { kind: 'answer', id: request.id, value: answer(request) }
  } catch (error) {
    message = { kind: 'failure', id: request.id, failure: failureOf(error) }
  }
  port.postMessage(message)
  if (request.method === 'close') port.close()
})
