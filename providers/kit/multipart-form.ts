import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpError } from './http-error.ts'
import { InvalidRequestError } from './validate.ts'

/** A part with a file name. `bytes` is a view of the request's body. */
export interface FormFile {
  /** As the sender named it: not safe as a path. */
  filename: string
  mediaType: string | null
  bytes: Buffer
}

/**
 * A multipart body, read whole. Node's own `Response.formData()` is not a replacement: it copies a file of 200 MB to 800 MB, has no limit of parts,
 * and refuses quotes that clients escape by a backslash in file names. A field given twice has its last value; one whose name ends in `[]` is a list of all its values. Of files there is one per
 * name.
 */
export interface MultipartForm {
  fields: Readonly<Record<string, string>>
  /** Values of the fields whose names end in `[]`, by the name without it. */
  lists: Readonly<Record<string, readonly string[]>>
  files: ReadonlyMap<string, FormFile>
}

/** The framing of a form and its fields may add this much to a file. */
export const FRAMING_BYTES = 1024 * 1024

const MAX_PARTS = 64
const MAX_FIELD_BYTES = 1024 * 1024

/** Reads multipart bodies in this scope, within the limit and the deadline of their route; other scopes still refuse them with 415. */
export function acceptMultipart(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => parseMultipart(body, request.headers['content-type'] ?? ''),
  )
}

/** Returns true when a request's body came as a form. */
export function isForm(body: unknown): body is MultipartForm {
  return typeof body === 'object' && body !== null && 'files' in body && body.files instanceof Map
}

/** The form in a whole multipart body. Throws 400 for what is not one. */
export function parseMultipart(body: Buffer, contentType: string): MultipartForm {
  const delimiter = Buffer.from(`--${boundaryOf(contentType)}`)
  const fields: Record<string, string> = {}
  const lists: Record<string, string[]> = {}
  const files = new Map<string, FormFile>()
  let at = body.indexOf(delimiter)
  if (at < 0) throw malformed('the boundary does not occur')
  for (let parts = 0; ; parts += 1) {
    const start = at + delimiter.length
    if (body.subarray(start, start + 2).equals(Buffer.from('--'))) return { fields, lists, files }
    if (parts === MAX_PARTS) throw malformed(`more than ${MAX_PARTS} parts`)
    const end = nextBoundary(body, delimiter, start)
    readPart(body.subarray(start, end), { fields, lists, files })
    at = end + 2
  }
}

/** The file of that part. Throws 422 when there is none, 400 when it is empty, 413 when it has more than `maxBytes`. */
export function requiredFile(form: MultipartForm, name: string, maxBytes: number): FormFile {
  const file = form.files.get(name)
  if (file === undefined) {
    throw new InvalidRequestError(
      [{ loc: ['body', name], msg: 'Field required', type: 'missing' }],
      [`${name}: required`],
    )
  }
  return checkedFile(file, maxBytes)
}

/** The same file. Throws 400 when it is empty, 413 when it has more than `maxBytes`. */
export function checkedFile(file: FormFile, maxBytes: number): FormFile {
  if (file.bytes.length === 0) throw new HttpError(400, 'upload is empty')
  if (file.bytes.length > maxBytes) throw new HttpError(413, `upload exceeds ${maxBytes} byte limit`)
  return file
}

/** Offset of the line end before the next boundary. A line that only begins like the boundary belongs to the part. */
function nextBoundary(body: Buffer, delimiter: Buffer, from: number): number {
  const line = Buffer.concat([Buffer.from('\r\n'), delimiter])
  let at = body.indexOf(line, from)
  while (at >= 0 && !/^(?:--|[ \t]*\r\n)/.test(body.toString('latin1', at + line.length, at + line.length + 64))) {
    at = body.indexOf(line, at + line.length)
  }
  if (at < 0) throw malformed('the last part does not end')
  return at
}

/** The boundary of a multipart media type. Throws 400 where there is none. */
export function boundaryOf(contentType: string): string {
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;]{1,70}))/i.exec(contentType)
  const boundary = found?.[1] ?? found?.[2]
  if (boundary === undefined) throw malformed('no boundary is declared')
  return boundary
}

interface OpenForm {
  fields: Record<string, string>
  lists: Record<string, string[]>
  files: Map<string, FormFile>
}

function readPart(part: Buffer, { fields, lists, files }: OpenForm): void {
  const end = part.indexOf('\r\n\r\n')
  if (end < 0 || end > 16_384) throw malformed('a part has no header')
  const header = part.subarray(0, end).toString('utf8')
  const bytes = part.subarray(end + 4)
  const { name, filename, mediaType } = partFacts(header)
  if (name === null) throw malformed('a part has no name')
  if (filename !== null) {
    if (files.has(name)) throw new HttpError(422, `Only one file is accepted in '${name}': send one request per file`)
    files.set(name, { filename, mediaType, bytes })
    return
  }
  if (bytes.length > MAX_FIELD_BYTES) throw new HttpError(413, `field ${name} exceeds ${MAX_FIELD_BYTES} byte limit`)
  if (name.endsWith('[]')) (lists[name.slice(0, -2)] ??= []).push(bytes.toString('utf8'))
  else fields[name] = bytes.toString('utf8')
}

/** Reads the header of a part. */
export function partFacts(header: string): { name: string | null; filename: string | null; mediaType: string | null } {
  const disposition = /^content-disposition:\s*form-data(.*)$/im.exec(header)?.[1] ?? ''
  return {
    name: parameter(disposition, 'name'),
    filename: parameter(disposition, 'filename'),
    mediaType: /^content-type:\s*(\S+)/im.exec(header)?.[1] ?? null,
  }
}

function parameter(disposition: string, name: string): string | null {
  const quoted = new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(disposition)?.[1]
  if (quoted !== undefined) return quoted.replaceAll('\\"', '"').replaceAll('%22', '"')
  return new RegExp(`;\\s*${name}=([^\\s;"]+)`, 'i').exec(disposition)?.[1] ?? null
}

export const malformed = (why: string): HttpError => new HttpError(400, `Malformed multipart body: ${why}`)
