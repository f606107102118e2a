import { createHash, randomBytes } from 'node:crypto'

/** Id of a document: equal texts are one document, wherever they come from. */
export function documentId(content: string): string {
  return `doc-${createHash('sha256').update(content, 'utf8').digest('hex').slice(0, 32)}`
}

/** Id of a document's chunk. */
export function chunkId(document: string, index: number): string {
  return `chunk-${document.slice('doc-'.length)}-${index}`
}

/** A name for one hand-in, such as `upload_20250729_170612_1f0c9a3b`. */
export function newTrackId(kind: 'upload' | 'insert' | 'retry', nowMs: number): string {
  const [date, time] = new Date(nowMs).toISOString().slice(0, 19).split('T')
  return `${kind}_${date!.replaceAll('-', '')}_${time!.replaceAll(':', '')}_${randomBytes(4).toString('hex')}`
}

/** The title of a text: its first heading, else the name of its file in words. */
export function titleOf(text: string, filePath: string): string {
  const heading = /^#{1,6}[ \t]+([^\s].*)$/m
    .exec(text.slice(0, 4000))?.[1]
    ?.trimEnd()
    .replace(/(?<!#)#+$/, '')
    .trimEnd()
  if (heading !== undefined && heading !== '') return heading.replace(/[*_`]/g, '')
  const name = filePath
    .split('/')
    .at(-1)!
    .replace(/\.[^.]*$/, '')
  return name.replace(/[-_]+/g, ' ').trim() || 'Untitled'
}
