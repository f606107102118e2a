import { basename } from 'node:path/posix'
import { HttpError } from '../../../kit/http-error.ts'
import type { FormFile } from '../../../kit/multipart-form.ts'

export interface TextUpload {
  name: string
  text: string
}

/** An uploaded file as text. Throws 400 for what is no UTF-8 text or has an unusable name. */
export function readTextUpload({ filename, bytes }: FormFile): TextUpload {
  const name = safeName(filename)
  return { name, text: decode(bytes, name) }
}

function safeName(given: string): string {
  const name = basename(given.replaceAll('\\', '/'))
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
