// Keeps an index up with a folder until it is killed, as fast as it can; reports when it has started and what it has applied.
import { flushCompileCache } from 'node:module'
import { IndexSession } from '../../main/run-index/index-session.ts'
import { IndexWriter } from '../../main/run-index/index-writer.ts'
import { openForWriting } from '../../main/run-index/open-database.ts'

const [file, folder] = [process.argv[2]!, process.argv[3]!]
const writer = new IndexWriter(new IndexSession(openForWriting(file)), { folders: [folder] })
const { signal } = new AbortController()
process.stdout.write('ready\n')
// A process that is killed stores no compiled code of its own accord.
flushCompileCache()
for (;;) {
  const { runs } = await writer.sync(signal)
  if (runs.length > 0) process.stdout.write(`applied ${runs.reduce((sum, run) => sum + run.rows_added, 0)}\n`)
}
