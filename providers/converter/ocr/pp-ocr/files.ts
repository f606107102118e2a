/** Files of PP-OCR in the model's folder. A file of its own: who only fetches them does not load the engine. */
export const PP_OCR_FILES = { detection: 'det.onnx', recognition: 'rec.onnx', characters: 'characters.txt' } as const
