// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/sha256.h"

#include <openssl/evp.h>

namespace tailmark {

struct Sha256::Context
{
    EVP_MD_CTX* digest = EVP_MD_CTX_new();
    ~Context() { EVP_MD_CTX_free(digest); }
};

Sha256::Sha256() : m_context(std::make_unique<Context>())
{
    EVP_DigestInit_ex(m_context->digest, EVP_sha256(), nullptr);
}

Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes)
{
    EVP_DigestUpdate(m_context->digest, bytes.data(), bytes.size());
}

std::string Sha256::hex()
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    EVP_DigestFinal_ex(m_context->digest, bytes, &length);
    std::string text;
    for (unsigned i = 0; i < length; ++i) {
        text += "0123456789abcdef"[bytes[i] >> 4];
        text += "0123456789abcdef"[bytes[i] & 15];
    }
    return text;
}

} // namespace tailmark
