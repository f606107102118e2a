"""Writes a GGUF file with its matrices in 8 bits (Q8_0), whatever they are stored in.

    pip install gguf numpy
    python requantize-gguf.py SmolLM2-135M-Instruct.Q4_1.gguf SmolLM2-135M-Instruct.Q8_0-from-Q4_1.gguf

The numbers stay those of the first file but for rounding, so the answers get no better. llama.cpp multiplies by them faster: on one processor
SmolLM2-135M reads 216 tokens a second in place of 104. A file that was made from the model's full precision is better than this one.
"""

import sys

import gguf
import numpy
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter

Q8_0_FILE = 7

source, target = sys.argv[1:3]
reader = GGUFReader(source)
writer = GGUFWriter(target, reader.fields["general.architecture"].contents())
for field in reader.fields.values():
    if field.name.startswith("GGUF.") or field.name == "general.architecture":
        continue
    value = Q8_0_FILE if field.name == "general.file_type" else field.contents()
    kind = field.types[0]
    writer.add_key_value(field.name, value, kind, field.types[-1] if kind == GGUFValueType.ARRAY else None)

kept = (GGMLQuantizationType.F32, GGMLQuantizationType.Q8_0)
for tensor in reader.tensors:
    if tensor.tensor_type in kept:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
        continue
    numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32)
    packed = gguf.quants.quantize(numbers, GGMLQuantizationType.Q8_0)
    writer.add_tensor(tensor.name, packed, raw_dtype=GGMLQuantizationType.Q8_0)

writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
