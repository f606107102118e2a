import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PP_OCR_FILES } from '../../providers/converter/ocr/pp-ocr/files.ts'

/** Puts the weights of the package where the engine expects those that the product downloads. */
export async function writePpOcr(weights: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await copyFile(join(weights, 'ppocrv5_det.onnx'), join(folder, PP_OCR_FILES.detection))
  await copyFile(join(weights, 'ppocrv5_rec.onnx'), join(folder, PP_OCR_FILES.recognition))
  // The package adds a first line for "none" and a last one for the space: without them it is the dictionary that the product downloads.
  const lines = (await readFile(join(weights, 'ppocr_keys_v5.txt'), 'utf8')).split('\n')
  await writeFile(join(folder, PP_OCR_FILES.characters), `${lines.slice(1, -2).join('\n')}\n`)
}
