import { posix } from 'node:path'
import { strFromU8, zipSync } from 'fflate'
import { checkDeclared, directoryInMemory, unpackInMemory, ZipArchiveError } from '../../../core/zip-archive.ts'
import { ConversionError } from '../model/conversion-error.ts'
import { elements, parseXml } from './xml.ts'

const LIMITS = { files: 10_000, bytes: 512 * 1024 * 1024 }

/** Parts of an Office file by name. */
export type Archive = Readonly<Record<string, Uint8Array>>

/** Some programs part folders as Windows does. */
const slashed = (name: string): string => name.replaceAll('\\', '/')

/** Targets of a part's relations by their id; those of the file itself for ''. Throws `damaged`. */
export function relations(parts: Archive, name: string): Map<string, { target: string; type: string }> {
  const part = parts[posix.join(posix.dirname(name), '_rels', `${posix.basename(name)}.rels`)]
  if (part === undefined) return new Map()
  try {
    return new Map(
      elements(parseXml(strFromU8(part))).map(({ attributes }) => {
        const target = slashed(attributes['Target'] ?? '')
        const path = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(name), target)
        return [attributes['Id'] ?? '', { target: path, type: attributes['Type'] ?? '' }]
      }),
    )
  } catch (error) {
    throw new ConversionError('damaged', `the relations of '${name}' cannot be read`, { cause: error })
  }
}

/** The part that the file's own relations name as its document; Microsoft 365 writes `word/document2.xml` too. Null where they name none. */
export const mainPart = (parts: Archive): string | null =>
  [...relations(parts, '').values()].find(({ type }) => type.endsWith('/officeDocument'))?.target ?? null

/** Names of a ZIP's entries from its directory; empty when it has none. Nothing is unpacked. */
export function entryNames(bytes: Uint8Array): string[] {
  try {
    return directoryInMemory(bytes).map(({ name }) => slashed(name))
  } catch {
    return []
  }
}

/**
 * Unpacks the parts that `wants` names. Throws `too_large` where the parts declare to be more than memory should hold, and `damaged` where they
 * cannot be unpacked, differ from their checksum, or an XML part declares entities.
 */
export function openArchive(
  bytes: Uint8Array,
  wants: (name: string, sizeBytes: number) => boolean = () => true,
): Archive {
  const parts = asConversionError(() => {
    const wanted = directoryInMemory(bytes).filter(({ name, sizeBytes }) => wants(slashed(name), sizeBytes))
    checkDeclared(wanted, LIMITS)
    // A file names the parts that are looked up: no name may find what every object has.
    const found = Object.create(null) as Record<string, Uint8Array>
    for (const entry of wanted) found[slashed(entry.name)] = unpackInMemory(bytes, entry)
    return found
  })
  for (const [name, part] of Object.entries(parts)) {
    if (!/\.(xml|rels|vml)$/i.test(name)) continue
    // Office never declares entities; what does, wants to be expanded.
    if (/<!(DOCTYPE|ENTITY)/i.test(new TextDecoder('latin1').decode(part.subarray(0, 4096))))
      throw new ConversionError('damaged', `'${name}' declares XML entities, which no Office program writes`)
  }
  return parts
}

function asConversionError<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ZipArchiveError)) throw error
    const where = error.entry === null ? '' : ` (at '${slashed(error.entry)}')`
    if (error.code === 'too_large')
      throw new ConversionError('too_large', `the file unpacks to more than is allowed${where}`, { cause: error })
    if (error.code === 'encrypted')
      throw new ConversionError('encrypted', 'the file is encrypted: remove its password', { cause: error })
    throw new ConversionError(
      'damaged',
      `the file is a ZIP archive that cannot be unpacked: ${error.message}${where}`,
      {
        cause: error,
      },
    )
  }
}

/** The same parts as a ZIP whose declared sizes are true, for libraries that unpack by themselves. */
export const repack = (parts: Archive): Uint8Array => zipSync(parts, { level: 0 })
