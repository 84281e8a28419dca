"""Titles, version labels and citations: what a person calls a document."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.core.model import Hit, Key, Parsed, Section
from indexer.names import MOST, citation, label_of, quoted, shown, split_name

# File name or title: title, label.
LABELLED = """
年假管理办法_v3.1 | 年假管理办法 | v3.1
年假管理办法V2.0 | 年假管理办法 | v2.0
年假管理办法ver3 | 年假管理办法 | v3
年假管理办法 v 3.1 | 年假管理办法 | v3.1
年假管理办法（V3.1） | 年假管理办法 | v3.1
年假管理办法【V3.1】 | 年假管理办法 | v3.1
年假管理办法《v3.1》 | 年假管理办法 | v3.1
年假管理办法_Ver.3.1 | 年假管理办法 | v3.1
年假管理办法-V3.1修订 | 年假管理办法 | v3.1
年假管理办法_v3.1版 | 年假管理办法 | v3.1
年假管理办法_v3.1_20240301 | 年假管理办法 | v3.1
年假管理办法_v3.1_最终版 | 年假管理办法 最终版 | v3.1
《年假管理办法》v3.1 | 《年假管理办法》 | v3.1
V1.0_年假管理办法 | 年假管理办法 | v1.0
信息安全管理制度-V1.0-20230601 | 信息安全管理制度 | v1.0
信息安全管理制度 V1.0（正式发布） | 信息安全管理制度（正式发布） | v1.0
HCIA-V3.0培训材料 | HCIA 培训材料 | v3.0
操作手册版本3.1 | 操作手册 | v3.1
操作手册 版本号V3.1 | 操作手册 | v3.1
版本号：3.1 操作手册 | 操作手册 | v3.1
员工手册（第三版） | 员工手册 | 第三版
员工手册 第3版 | 员工手册 | 第3版
操作手册第二次修订 | 操作手册 | 第二次修订
操作手册（2020版） | 操作手册 | 2020版
中国药典2020年版 | 中国药典 | 2020年版
年假管理办法(2023修订版) | 年假管理办法 | 2023修订版
采购管理办法（2022年修订） | 采购管理办法 | 2022年修订
公司章程2021修正案 | 公司章程 | 2021修正案
质量手册 A/1版 | 质量手册 | A/1
质量手册 B/0 | 质量手册 | B/0
财务制度_20240115 | 财务制度 | 2024-01-15
财务制度 2024-01-15 | 财务制度 | 2024-01-15
会议纪要-2024.03.01 | 会议纪要 | 2024-03-01
会议纪要20240301 | 会议纪要 | 2024-03-01
2024年度总结v2 | 2024年度总结 | v2
报价单 rev B | 报价单 | Rev. B
Drawing Rev. C | Drawing | Rev. C
Design Spec - Revision 4 | Design Spec | Rev. 4
design_spec_v1.2.3-draft | design_spec draft | v1.2.3
Employee Handbook (v2.1) | Employee Handbook | v2.1
Employee Handbook, Version 2.1 | Employee Handbook | v2.1
Employee Handbook v2024 | Employee Handbook | v2024
employee-handbook-v2-final | employee-handbook final | v2
Handbook v.2 | Handbook | v2
Handbook 2nd Edition | Handbook | 2nd Edition
Travel Policy 1.2 | Travel Policy | v1.2
操作手册 2.0 | 操作手册 | v2.0
leave_policy_3.1 | leave_policy | v3.1
API v2 Guide | API Guide | v2
IPv6 v2.1 | IPv6 | v2.1
V2X 白皮书 v1.0 | V2X 白皮书 | v1.0
RFC 793 v2 | RFC 793 | v2
"""
# Names that only look as if they had a version.
FALSE_FRIENDS = """
IPv4
IPv4地址规划
IPv6 Migration
GB/T 19001-2016
GB/T 19001-2016 质量管理体系
GBT 22239-2019 网络安全等级保护基本要求
ISO 9001-2015
ISO 27001:2022
RFC 2119
Windows 11
Windows 11 安装指南
Windows Server 2019
Python 3.11
Python 3.11 教程
USB 3.1
HTTP 1.1
TLS 1.3
蓝牙5.0
MySQL 8.0 手册
log4j 2.17.1
Section 4.5
Chapter 3.2
第3.2章 安全
3.1 采购
1.2 概述
附件1.2
图3.2 流程
2024年度总结
2023年终报告
2025年版权声明
第一次会议
第二版权所有
Employee Handbook 2024
Report 2024-05
Q3 2024 report
V2X技术白皮书
V形滤池
产品手册V100R003
5G网络_V100R001C10
地址 192.168.1.1
192.168.1.10 配置
发票20231145
Henry V
Review 2023
Revenue 3
Reverse B
COVID-19 Policy
iPhone 15
A/B 测试
采购管理办法（试行）
合同法（1999年10月1日）
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split(" | ")] for line in table.strip().splitlines()]


@pytest.mark.parametrize(("name", "title", "label"), rows(LABELLED))
def test_a_version_in_a_name_is_told_from_the_title(name: str, title: str, label: str) -> None:
    """Brackets, joining marks and a date after the version go with it."""
    assert tuple(split_name(name)) == (title, label)


@pytest.mark.parametrize("name", FALSE_FRIENDS.strip().splitlines())
def test_a_number_in_a_name_is_not_always_a_version(name: str) -> None:
    """Standards, protocols, products, chapters, years and addresses keep their numbers."""
    assert tuple(split_name(name)) == (name, "")


@given(st.text(max_size=60))
def test_every_name_keeps_a_title(name: str) -> None:
    """Nothing raises; a title is empty only for an empty name."""
    named = split_name(name)
    assert bool(named.title) == bool(name)


def test_a_long_hostile_name_is_read_at_once() -> None:
    """A title of a broken PDF may have any length."""
    for text in (
        "v1." * 20_000,
        "版本 " * 20_000,
        "第一" * 20_000,
        "2024" * 20_000,
        " " * 50_000,
        "A/" * 20_000,
        "(" * 50_000,
    ):
        split_name(text)
        label_of(Parsed((Section(text),), title=text))


STATED = [
    ("文件编号：HR-001\n版本号：V3.1\n生效日期：2023-01-01\n", "v3.1"),
    ("文件编号：HR-001 版本：3.1 生效日期：2023\n", "v3.1"),
    ("文件编号 | HR-001\n版本 | A/1\n", "A/1"),
    ("Employee Handbook\nVersion: 2.0\n", "v2.0"),
    ("Employee Handbook\nVersion 2.0\n", "v2.0"),
    ("Doc No: 123 Version: 2.0\n", "v2.0"),
    ("Document Version: 2.0\n", "v2.0"),
    ("| Version | 2.0 |\n", "v2.0"),
    ("Apache License, Version 2.0 (the License)\n", ""),
    ("Version 2.0, January 2004\n", ""),
    ("Python version: 3.11\n", ""),
    ("It runs since version 2.0 of the tool.\n", ""),
    ("本办法自第二版起生效。\n", ""),
    ("x" * 700 + "\nVersion: 2.0\n", ""),
]


@pytest.mark.parametrize(("text", "label"), STATED)
def test_the_first_lines_may_state_the_version(text: str, label: str) -> None:
    """Only where a line says so, not in running text."""
    assert label_of(Parsed((Section(text),))) == label


def test_the_clearest_statement_counts() -> None:
    """Property, front matter, title, first heading, first lines, in this order."""
    text = (Section("版本：1.1\n", ("办法 v1.2",)),)
    assert label_of(Parsed(text)) == "v1.2"
    assert label_of(Parsed(text, title="办法 v1.3")) == "v1.3"
    assert label_of(Parsed(text, title="办法 v1.3", details={"front_matter": {"Version": "1.4"}})) == "v1.4"
    assert label_of(Parsed(text, title="办法 v1.3", label="V1.5")) == "v1.5"
    assert label_of(Parsed(text, label="初稿 (内部)")) == "初稿 (内部)"
    assert len(label_of(Parsed(text, label="x" * 500))) == MOST


def test_names_in_code_label_nothing() -> None:
    """A function parse_v2 is no version of the file."""
    assert label_of(Parsed((Section("version: 3\n", ("parse_v2",), kind="code"),))) == ""


@pytest.mark.parametrize(
    ("title", "stored", "path", "expected"),
    [
        ("", "", "hr/年假管理办法_v3.1.docx", ("年假管理办法", "v3.1")),
        ("年假管理办法", "v3.2", "hr/x_v3.1.docx", ("年假管理办法", "v3.2")),
        ("年假管理办法 V3.0", "", "hr/x_v3.1.docx", ("年假管理办法", "v3.0")),
        ("年假管理办法", "", "hr/x_v3.1.docx", ("年假管理办法", "v3.1")),
        ("V1.0", "", "hr/年假管理办法.docx", ("年假管理办法", "v1.0")),
        ("", "", ".gitignore", (".gitignore", "")),
        ("", "", "a/README", ("README", "")),
        ("", "", "a/archive.tar.gz", ("archive.tar", "")),
    ],
)
def test_what_is_shown(title: str, stored: str, path: str, expected: tuple[str, str]) -> None:
    """The document's own word, then its file name's."""
    details = json.dumps({"label": stored}) if stored else None
    assert tuple(shown(title, details, path)) == expected


def hit(title: str, label: str = "", headings: tuple[str, ...] = (), page: int | None = None, place: str = "") -> Hit:
    return Hit(
        Key("kb", "hr/file.docx"), "text", 0.9, headings, page, 0, 4, title, 1, "0" * 64, 1, place=place, label=label
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (hit("年假管理办法", "v3.1", ("第五章",), 12), "《年假管理办法》 v3.1 第五章 p.12"),
        (hit("Travel Policy", "v2", ("Hotels",), 3), "“Travel Policy” v2 Hotels p.3"),
        (
            hit("年假管理办法", "", ("年假管理办法", "第五章", "第二节", "一、天数")),
            "《年假管理办法》 第二节 › 一、天数",
        ),
        (hit("年假管理办法", "v3.1", ("年假管理办法 V3.1",)), "《年假管理办法》 v3.1"),
        (hit("报销台账", "", ("2024",), None, "A2:F51"), "《报销台账》 2024 A2:F51"),
        (hit("split", "", ("Cutter", "merge"), None, "L10-L42"), "“split” Cutter › merge L10-L42"),
        (hit("《民法典》", "", (), 1), "《民法典》 p.1"),
        (hit("《民法典》释义"), "《〈民法典〉释义》"),
        (hit("《甲》与《乙》"), "《〈甲〉与〈乙〉》"),
        (hit("v3.1", "v3.1"), "“v3.1”"),
        (hit(""), "“file.docx”"),
        (hit("T", "", ("x" * 90,)), f"“T” {'x' * 39}…"),
    ],
)
def test_a_citation_is_what_one_would_write(found: Hit, expected: str) -> None:
    """Title in the marks of its language, label, last headings, page, place; nothing twice."""
    assert citation(found) == expected


def test_quotation_marks_follow_the_script() -> None:
    """Han characters decide."""
    assert quoted("Q3 报告") == "《Q3 报告》"
    assert quoted("Rapport") == "“Rapport”"
