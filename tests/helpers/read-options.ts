import type { ReadOptions } from '../../providers/converter/work/convert-document.ts'

/** Reads a document so unless a test says otherwise; `cacheDir` holds what the reader keeps between documents. */
export const readOptions = (cacheDir: string): ReadOptions => ({
  useOcr: 'auto',
  tableMode: 'fast',
  formulas: true,
  codeBlocks: true,
  cacheDir,
  tableModelDir: cacheDir,
  ppOcrDir: null,
})
