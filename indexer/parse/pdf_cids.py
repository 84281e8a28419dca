"""Adobe's character collections for Chinese, Japanese and Korean: glyph number (CID) to text.

A font that is not embedded, with Identity-H and no /ToUnicode, still has a meaning if it names
such a collection: its CIDs are fixed. The collections follow the national standards, so a few
hundred stretches, each "first CID = first code * length" in the order of a Python codec
("u" before a Unicode code point), say it all. Covered are the base sets (GB 2312, Big 5,
JIS X 0208, KS X 1001 and the Unified Hangul Code), not the rare later supplements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

COLLECTIONS: Mapping[str, tuple[str, str]] = {
    "GB1": (
        "gb2312",
        "1=u20*95 96=a1a1*3 100=a1a5*5 106=a1ab*2 109=a1ae*464 573=ue78d*7 588=ufe41*4 602=a7a1*92 700=a8c5*34 "
        "735=a8e8*2 737=a8e7 738=a9a4*76 814=u20*95 940=b0a1*6763 7704=a1ab 7706=a1fe 7707=a3ae 7708=a3bd "
        "7709=a3db 7710=a3dd 7711=a3fe ",
    ),
    "CNS1": (
        "cp950",
        "1=u20*95 99=a140*5 105=a146*5 111=a14c*2 114=a14f*10 128=a15d*67 196=a1c3*32 229=a1e4*18 247=a1f7 "
        "248=a1f6 249=a1f8*6 257=a241*3 261=a245 264=a248*58 326=a2a8*36 363=a2cd 365=a2cf*138 503=a3bd*3 "
        "506=uf6b1*30 562=u2400*32 595=a440*17 612=a451 613=a452*86 699=a4ca 700=a4cb*81 782=a55e*1225 "
        "2007=ad40*424 2431=acfe 2432=afd0*1284 3717=b7ed*591 4308=be52 4309=bbc8*387 4696=be53*313 5010=c053*211 "
        "5221=c2cb 5222=c1ab*189 5411=c2cc*84 5495=c456 5496=c361*54 5550=c3ba 5551=c3b9 5552=c3bb*90 "
        "5642=c457*354 5996=c940*10 6006=c94b*33 6039=c9be 6040=c96c*48 6088=c9bf*46 6134=caf7 6135=c9ed*36 "
        "6172=ca53*130 6302=caf8*1840 8142=dadf 8143=d6cd*108 8251=d77b*537 8788=d6cc 8789=dae0*100 8889=d77a "
        "8890=dba7*399 9289=ddfd*1637 10926=ebf1 10927=e8a3*146 11073=ecde 11074=e976*287 11361=f0cb "
        "11362=eb5b*116 11478=ebf2*137 11615=ecdf*104 11719=f056 11720=edaa*222 11942=eeec*198 12140=f057*82 "
        "12222=f0cc*86 12308=eeeb 12309=f163*8 12317=f16c*153 12470=f269*56 12526=f4b5 12527=f2c3*113 12640=f16b "
        "12641=f375*142 12783=f268 12784=f466*45 12829=f4b6*71 12900=f663 12901=f4fd*136 13038=f5e9*57 "
        "13095=f664*490 13585=f9c4 13586=f977*43 13629=f9c5 13630=f9c7*11 13641=f9c6 13642=f9d2*4 13649=u21*94 "
        "13743=a159*4 13750=c6a1*3 13754=c6a4 13761=c6a5*169 13930=u410*4 13934=c7b1*10 13944=u41d*6 "
        "13950=c7bb*46 14050=uf818*6 14056=f9d6*19 14075=a2a5*3 14078=f9ec*13 14091=a2a4 14096=f9fe ",
    ),
    "Japan1": (
        "cp932",
        "1=u20*60 66=u61*27 101=ua1*3 108=8167 122=8168 130=u306*3 161=ubc*3 164=uc0*6 170=uc7*16 187=ud9*6 "
        "193=ue0*6 199=ue7*16 216=uf9*7 232=u21*91 327=uff61*63 634=8141*31 667=8162*3 674=8169*19 694=817d*431 "
        "1125=889f*198 1324=89aa*290 1616=8b55*315 1932=8cd6*311 2244=8e96*414 2659=90bd*5 2665=90c3 "
        "2667=90c5*362 3030=92b8*350 3381=949f*381 3763=96a5*10 3774=96b0*191 3966=97b4*243 4210=995a*436 "
        "4647=9b98*92 4740=9bf5*39 4780=9c60*279 5060=9dbd*29 5090=9ddb*2388 7479=849f 7480=84aa 7481=84a0 "
        "7482=84ab 7483=u2504*8 7491=84a1 7494=84ac 7495=84a2 7498=84ad 7499=84a4 7502=84af 7503=84a3 7506=84ae "
        "7507=84a5 7508=84ba 7511=84b5 7514=84b0 7515=84a7 7516=84bc 7519=84b7 7522=84b2 7523=84a6 7526=84b6 "
        "7527=84bb 7530=84b1 7531=84a8 7534=84b8 7535=84bd 7538=84b3 7539=84a9 7542=84b9 7545=84be 7546=u2543*8 "
        "7554=84b4 7555=8740*32 7588=8762 7590=8764 7592=8766*2 7595=8769*2 7598=876c*2 7601=876f*7 7608=8780*4 "
        "7613=8785*13 7629=8798*2 7680=edb4 7746=ed80 7889=8150 7891=815b 7896=8162 7911=ufe41*4 7917=8181 "
        "7918=829f 7919=82a1 7920=82a3 7921=82a5 7922=82a7 7923=82c1 7924=82e1 7925=82e3 7926=82e5 7927=82ec "
        "7928=8340 7929=8342 7930=8344 7931=8346 7932=8348 7933=8362 7934=8383 7935=8385 7936=8387 7937=838e "
        "7938=8395*2 7940=875f*2 7943=8762 7945=8764 7947=8766*2 7950=8769*2 7953=876c*2 7956=8780*2 7958=u3094*3 "
        "8005=eefa*3 8031=u3385*3 8038=8761 8040=8763 8042=8765 8043=876b 8044=8768 8047=876e 8055=8784 "
        "8062=u2488*9 8071=u2474*20 8092=eeef*10 8102=u3252*10 8112=u249c*26 8174=u23ab*3 8178=u23a7*3 "
        "8198=u322a*6 8207=u2b05*3 8215=u2600*4 8230=u2581*8 8261=u2571*3 8269=818b 8270=81ac 8271=814b 8272=814a "
        "8273=818c 8274=8144 8279=8167*2 8281=8165*2 8283=818d 8284=eaa3*2 8286=u2776*9 8313=u30f7*4 8323=877e "
        "8329=8761 8338=8765 8339=8763 8344=8768 8348=876b 8349=876e 8359=ed40*45 8405=ed6e*17 8423=ed81*13 "
        "8437=ed8f*6 8444=ed96*30 8474=edb5*2 8477=edb8*12 8490=edc5*4 8495=edca*47 8543=edfa*18 8562=ee50*30 "
        "8593=ee6f*39 8633=ee98*53 8687=eece*9 8697=eed8*21 ",
    ),
    "Korea1": (
        "cp949",
        "1=u20*95 101=a4d4 102=a1a2*4 107=a1a7*2 112=a1ac 113=a2a6 114=a1ae*62 178=a1ee*17 195=a2a1*5 201=a2a7*9 "
        "211=a2b1*16 228=a2c2*36 264=a3a1*94 358=a4a1*51 409=a4d5*42 451=a5a1*68 519=a6a1*68 587=a7a1*79 "
        "666=a8a1*91 757=a9a1*94 851=aaa1*83 934=aba1*86 1020=aca1*66 1086=b0a1*94 1180=b1a1*94 1274=b2a1*94 "
        "1368=b3a1*94 1462=b4a1*94 1556=b5a1*94 1650=b6a1*94 1744=b7a1*94 1838=b8a1*94 1932=b9a1*94 2026=baa1*94 "
        "2120=bba1*94 2214=bca1*94 2308=bda1*94 2402=bea1*94 2496=bfa1*94 2590=c0a1*94 2684=c1a1*94 2778=c2a1*94 "
        "2872=c3a1*94 2966=c4a1*94 3060=c5a1*94 3154=c6a1*423 3577=cbd1*5 3582=cbd7*16 3598=cbe8*163 3761=cdd0*24 "
        "3785=cde9*34 3819=ceae*171 3990=cffc*4 3994=d0a3*21 4015=d0b9*23 4038=d0d1*12 4050=d0de*84 4134=d1d6*2 "
        "4136=d1d9*2 4138=d1e1 4139=d1e7 4140=d1ec 4141=d1ee 4142=d1f1 4143=d1f3*3 4146=d1f7*3 4149=d1fb "
        "4150=d2a1 4151=d2a4*3 4154=d2ac 4155=d2ae*4 4159=d2b3*11 4170=d2bf*3 4173=d2c5 4174=d2cc 4175=d2d8 "
        "4176=d2db*3 4179=d2e0 4180=d2e3 4181=d2ec*4 4185=d2f6 4186=d2f9*169 4355=d4e7*21 4376=d4fd*6 4382=d5a6*5 "
        "4387=d5ac*2 4389=d5af*103 4492=d6b9*20 4512=d6ce*91 4603=d7cc*24 4627=d7e5*344 4971=dbc6*30 5001=dbe5*30 "
        "5031=dca6*93 5124=dda6*47 5171=ddd6*30 5201=ddf5*101 5302=defd 5303=dfa1*18 5321=dfb4*45 5366=dfe2*6 "
        "5372=dfe9*102 5474=e0f2*25 5499=e1ae*63 5562=e1ee*195 5757=e3f6*9 5766=e4a2*7 5773=e4aa*98 5871=e5af*2 "
        "5873=e5b3*6 5879=e5ba 5880=e5bd*7 5887=e5c5*9 5896=e5cf 5897=e5d1 5898=e5d3*3 5901=e5d7*35 5936=e5fd "
        "5937=e6a2*2 5939=e6a5*2 5941=e6a8*5 5946=e6ae 5947=e6b2 5948=e6b4*3 5951=e6b9*3 5954=e6bd*7 5961=e6c5 "
        "5962=e6c8*2 5964=e6cb*7 5971=e6d3*3 5974=e6d7*2 5976=e6da*2 5978=e6dd*2 5980=e6e0 5981=e6e2*2 5983=e6e7 "
        "5984=e6e9 5985=e6ed*2 5987=e6f0 5988=e6f3*2 5990=e6f8 5991=e6fa*5 5996=e7a2*4 6000=e7a7*2 6002=e7ab "
        "6003=e7ae*2 6005=e7b1*14 6019=e7c0 6020=e7c2*4 6024=e7c8*3 6027=e7cc 6028=e7ce 6029=e7d1*2 6031=e7d4*11 "
        "6042=e7e0*4 6046=e7e5 6047=e7e7*16 6063=e7f8*77 6140=e8e9*7 6147=e8f2*5 6152=e8f8 6153=e8fa 6154=e8fc*2 "
        "6156=e9a1*6 6162=e9a8*4 6166=e9ad*31 6197=e9cd*42 6239=e9f8*39 6278=eac2*35 6313=eae6*14 6327=eaf5*2 "
        "6329=eaf8*4 6333=eafd 6334=eba1*3 6337=eba5*2 6339=eba8 6340=ebab*15 6355=ebbc 6356=ebbe*3 6359=ebc3*3 "
        "6362=ebc8*4 6366=ebcd*2 6368=ebd3*5 6373=ebd9*43 6416=eca8*2 6418=ecab*4 6422=ecb3*2 6424=ecb6*2 "
        "6426=ecb9 6427=ecbb*5 6432=ecc2*3 6435=ecc7*2 6437=eccb*10 6447=ecd6*7 6454=ecdf*2 6456=ece2*2 "
        "6458=ece5*2 6460=ece9*14 6474=ecf9 6475=ecfb*4 6479=eda4*74 6553=edef*74 6627=eedc*345 6972=f2be*60 "
        "7032=f2fb*20 7052=f3b2*83 7135=f4a8*70 7205=f4ef*193 7398=f6f5 7399=f6f7*31 7430=f7b9*15 7445=f7c9*10 "
        "7455=f7d4*101 7556=f8dc*20 7576=f8f1*108 7684=faa3*67 7751=fae7*126 7877=fcaa*179 8056=a1a2*2 8058=a1a5 "
        "8062=a2a6 8063=a1b2*12 8075=a1eb 8076=a3a1 8077=a3a8*2 8079=a3ac 8080=a3ae 8081=a3ba*6 8087=a3db "
        "8088=a3dd 8089=a3df 8090=a3fb*4 8094=u20*95 8219=u3016*4 8342=u278a*10 8388=u24b6*26 8481=u2270*4 "
        "8673=u2776*10 8719=a1ab 8727=u2295*3 8791=u246f*5 9042=u2483*5 9301=u328a*6 9333=8141*5780 15113=a241*84 "
        "15197=a341*84 15281=a441*84 15365=a541*84 15449=a641*84 15533=a741*84 15617=a841*84 15701=a941*84 "
        "15785=aa41*84 15869=ab41*84 15953=ac41*84 16037=ad41*336 16373=b141*84 16457=b241*84 16541=b341*84 "
        "16625=b441*84 16709=b541*84 16793=b641*84 16877=b741*84 16961=b841*84 17045=b941*84 17129=ba41*84 "
        "17213=bb41*84 17297=bc41*84 17381=bd41*84 17465=be41*84 17549=bf41*84 17633=c041*84 17717=c141*84 "
        "17801=c241*84 17885=c341*84 17969=c441*84 18053=c541*84 18137=c641*18 ",
    ),
}


def cid_decoder(collection: str) -> Callable[[bytes], str] | None:
    """How two-byte CIDs of a collection are read; None for a collection without a meaning."""
    if collection not in COLLECTIONS:
        return None
    table = _table(collection)
    return lambda codes: "".join(
        table.get(int.from_bytes(codes[i : i + 2], "big"), "\ufffd") for i in range(0, len(codes), 2)
    )


@cache
def _table(collection: str) -> Mapping[int, str]:
    codec, stretches = COLLECTIONS[collection]
    order = list(_in_order(codec))
    places = {char: place for place, char in enumerate(order)}
    table: dict[int, str] = {}
    for stretch in stretches.split():
        cid, _, rest = stretch.partition("=")
        code, _, length = rest.partition("*")
        for step in range(int(length or 1)):
            if code.startswith("u"):
                table[int(cid) + step] = chr(int(code[1:], 16) + step)
            else:
                table[int(cid) + step] = order[places[bytes.fromhex(code).decode(codec)] + step]
    return table


def _in_order(codec: str) -> Iterator[str]:
    """The two-byte characters of a codec in the order of their codes, each once."""
    seen = set()
    for code in range(0x8121, 0xFF00):
        try:
            char = code.to_bytes(2, "big").decode(codec)
        except UnicodeDecodeError:
            continue
        if len(char) == 1 and char not in seen:
            seen.add(char)
            yield char
