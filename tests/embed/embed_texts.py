"""Texts the embedding tests draw from: real sentences, odd Unicode, and generated prose of any length."""

from __future__ import annotations

import random

ZH = [
    "员工结婚可享受婚假三天，晚婚者另加七天，婚假期间工资照发。",
    "年假须提前两周向部门负责人提出申请，并在系统中登记。",
    "机房门禁卡丢失后，应当立即通知安全部门并停用该卡。",
    "设备的保修期为自购买之日起二十四个月，人为损坏不在保修范围内。",
    "差旅报销单应附上发票原件，超过三十日未提交的不予受理。",
]
EN = [
    "Employees are entitled to three days of marriage leave at full pay.",
    "Annual leave must be requested two weeks in advance and approved by the head of department.",
    "If an access badge is lost, inform the security team at once so that it can be disabled.",
    "The warranty of the device runs for twenty-four months from the date of purchase.",
    "Travel expenses are refunded against original invoices handed in within thirty days.",
]
ODD = [
    "",
    " ",
    "\n\n\t  \n",
    "a",
    "。",
    "emoji 👩‍👩‍👧‍👦 and flags 🇨🇳🇩🇪",
    "NUL\0in the\0middle",
    "lone \ud800 surrogate \udfff",
    "é composed, e\u0301 decomposed, Việt Nam Viê\u0323t",
    "</s> <s> <pad> <unk> <mask> control words as text",
    "▁ the model's own space ▁▁x",
    "\u3000全角　空格\u200b零宽\ufeff",
    "ﷺ ﬁne ①②③ ㎏ ｆｕｌｌ ｗｉｄｔｈ",
    "𐍈𐌰𐌽 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \U0010ffff",
    "العربية עברית हिन्दी ไทย 한국어 日本語 ქართული",
    "x" * 300,
    "0123456789abcdef" * 40,
]


def prose(words: int, seed: int = 0) -> str:
    """``words`` words of mixed English and Chinese, the same for a seed."""
    draw = random.Random(seed)  # noqa: S311 - test data
    stock = " ".join(EN).split() + [part for text in ZH for part in text.replace("。", "，").split("，") if part]
    return " ".join(draw.choices(stock, k=words))


def mixed() -> list[str]:
    """Every kind of text, of very different lengths, in an order that is no order."""
    texts = [*ZH, *EN, *ODD, *(prose(words, words) for words in (3, 40, 120, 500))]
    random.Random(1).shuffle(texts)  # noqa: S311 - test data
    return texts
