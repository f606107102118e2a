import { z } from 'zod'
import { OutputFormat, TableMode, UseOcr } from '../../contract/index.ts'
import { parseRequest } from '../kit/validate.ts'
import type { ConversionDefaults } from './config.ts'

const Flag = z.stringbool({ truthy: ['true', '1', 'yes', 'on'], falsy: ['false', '0', 'no', 'off'] })
const Whole = (least: number) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,7}$/, 'Input should be a whole number')
    .transform(Number)
    .pipe(z.int().min(least))

/** Fields of a conversion request; an empty one counts as absent, unknown ones are ignored. */
export function readConversionFields(
  fields: Readonly<Record<string, string>>,
  defaults: ConversionDefaults,
): ConversionDefaults {
  const Fields = z
    .object({
      output_format: OutputFormat.default(defaults.format),
      use_ocr: UseOcr.default(defaults.useOcr),
      table_mode: TableMode.default(defaults.tableMode),
      enable_chunking: Flag.default(defaults.chunking),
      chunk_size: Whole(1).default(defaults.chunkSize),
      chunk_overlap: Whole(0).optional(),
    })
    // A smaller chunk_size takes a smaller default overlap along.
    .transform((form) => ({
      ...form,
      chunk_overlap: form.chunk_overlap ?? Math.min(defaults.chunkOverlap, Math.floor(form.chunk_size / 2)),
    }))
    .refine(({ chunk_size, chunk_overlap }) => chunk_overlap <= chunk_size / 2, {
      path: ['chunk_overlap'],
      message: 'chunk_overlap may be at most half of chunk_size',
    })
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
  const form = parseRequest(Fields, given)
  return {
    format: form.output_format,
    useOcr: form.use_ocr,
    tableMode: form.table_mode,
    chunking: form.enable_chunking,
    chunkSize: form.chunk_size,
    chunkOverlap: form.chunk_overlap,
  }
}
