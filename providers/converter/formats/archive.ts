import { posix } from 'node:path'
import { strFromU8, unzipSync, zipSync } from 'fflate'
import { ConversionError } from '../model/conversion-error.ts'
import { elements, parseXml } from './xml.ts'

const MAX_ENTRIES = 10_000
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024
/** Text packs to a hundredth at most; more is a bomb. Small parts may do better. */
const MAX_RATIO = 200
const RATIO_FROM_BYTES = 16 * 1024 * 1024

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
  const names: string[] = []
  try {
    unzipSync(bytes, { filter: ({ name }) => (names.push(slashed(name)), false) })
  } catch {
    return []
  }
  return names
}

/**
 * Unpacks the parts that `wants` names. Throws `too_large` where the parts declare, or turn out, to be more than memory should hold, and
 * `damaged` where they cannot be unpacked or an XML part declares entities.
 */
export function openArchive(
  bytes: Uint8Array,
  wants: (name: string, sizeBytes: number) => boolean = () => true,
): Archive {
  let unpacked = 0
  let entries = 0
  const parts = unpack(bytes, ({ name, size, originalSize }) => {
    if (slashed(name).endsWith('/') || !wants(slashed(name), originalSize)) return false
    entries += 1
    unpacked += originalSize
    const ratio = originalSize / Math.max(1, size)
    if (
      entries > MAX_ENTRIES ||
      unpacked > MAX_UNPACKED_BYTES ||
      (originalSize > RATIO_FROM_BYTES && ratio > MAX_RATIO)
    )
      throw new ConversionError('too_large', `the file unpacks to more than is allowed (at '${name}')`)
    return true
  })
  for (const [name, part] of Object.entries(parts)) {
    if (name !== slashed(name)) {
      parts[slashed(name)] = part
      Reflect.deleteProperty(parts, name)
    }
    if (!/\.(xml|rels|vml)$/i.test(name)) continue
    // Office never declares entities; what does, wants to be expanded.
    if (/<!(DOCTYPE|ENTITY)/i.test(new TextDecoder('latin1').decode(part.subarray(0, 4096))))
      throw new ConversionError('damaged', `'${name}' declares XML entities, which no Office program writes`)
  }
  return parts
}

type Filter = NonNullable<Parameters<typeof unzipSync>[1]>['filter']

function unpack(bytes: Uint8Array, filter: Filter): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter })
  } catch (error) {
    if (error instanceof ConversionError) throw error
    throw new ConversionError('damaged', 'the file is a ZIP archive that cannot be unpacked', { cause: error })
  }
}

/** The same parts as a ZIP whose declared sizes are true, for libraries that unpack by themselves. */
export const repack = (parts: Archive): Uint8Array => zipSync(parts, { level: 0 })
