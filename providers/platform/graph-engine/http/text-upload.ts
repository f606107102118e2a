import { basename } from 'node:path/posix'
import type { FastifyRequest } from 'fastify'
import { HttpError } from '../../../kit/http-error.ts'

export interface TextUpload {
  name: string
  text: string
  /** The file was longer than the limit; `text` is empty then. */
  truncated: boolean
}

/** The uploaded `file` of a multipart request as text; null without one. Throws 400 for what is no UTF-8 text or has an unusable name. */
export async function readTextUpload(request: FastifyRequest): Promise<TextUpload | null> {
  const part = await request.file({ throwFileSizeLimit: false })
  if (part?.fieldname !== 'file') return null
  const bytes = await part.toBuffer()
  const name = safeName(part.filename)
  if (part.file.truncated) return { name, text: '', truncated: true }
  return { name, text: decode(bytes, name), truncated: false }
}

function safeName(given: string | undefined): string {
  const name = basename((given ?? '').replaceAll('\\', '/'))
    .replace(/\p{Cc}/gu, '')
    .trim()
  if (name === '' || name === '.' || name === '..' || name.length > 255) throw new HttpError(400, 'Invalid filename')
  return name
}

function decode(bytes: Buffer, name: string): string {
  if (bytes.length === 0) throw new HttpError(400, `File ${name} is empty`)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\u0000')) return text
  } catch (cause) {
    throw new HttpError(400, `File ${name} is not UTF-8 text`, { cause })
  }
  throw new HttpError(400, `File ${name} is not UTF-8 text`)
}
